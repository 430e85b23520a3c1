import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const dist = join(root, "dist");
export const program = join(dist, process.platform === "win32" ? "pintle.exe" : "pintle");

/**
 * Returns whether `node` was started with the module of this URL. Node resolves symbolic links in the URL, not in
 * `argv`.
 */
export function isMain(url) {
  const [, script] = process.argv;
  return script !== undefined && realpathSync(script) === fileURLToPath(url);
}
