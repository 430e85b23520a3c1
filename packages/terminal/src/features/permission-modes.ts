import type { PermissionMode } from "@pintle/client";

/** From the strictest to the loosest. */
export const PERMISSION_MODES: readonly PermissionMode[] = ["plan", "ask", "workspace", "full"];
