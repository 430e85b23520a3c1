import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const dist = join(root, "dist");
export const program = join(dist, process.platform === "win32" ? "pintle.exe" : "pintle");
