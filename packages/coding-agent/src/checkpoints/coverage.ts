import { isInside } from "@pintle/foundation";

export type CoverageReason = "home_directory" | "too_many_files" | "too_large" | "too_slow" | "disk_space" | "setting";

/** Which changes are covered: all in the workspace, those of file tools, or none. */
export interface Coverage {
  coverage: "workspace" | "tools" | "off";
  /** Why the whole workspace is not covered. */
  reason?: CoverageReason;
}

/** Returns what is covered unless a limit turns out to be exceeded. All paths are real. */
export function initialCoverage(
  setting: Coverage["coverage"],
  { roots, userHome }: { roots: readonly string[]; userHome: string },
): Coverage {
  if (setting === "off") return { coverage: "off" };
  if (setting === "tools") return { coverage: "tools", reason: "setting" };
  const isHome = roots.some((root) => isInside(root, userHome));
  return isHome ? { coverage: "tools", reason: "home_directory" } : { coverage: "workspace" };
}

/** Explains to the user why only file tools are covered. */
export const FALLBACK_TEXTS: Record<CoverageReason, string> = {
  home_directory: "the workspace contains the home directory",
  too_many_files: "the workspace has more files than `checkpoints.maxFiles`",
  too_large: "the workspace is larger than `checkpoints.maxBytes`",
  too_slow: "reading the workspace took longer than `checkpoints.timeoutMs`",
  disk_space: "the checkpoints cannot be stored",
  setting: "`checkpoints.coverage` is `tools`",
};
