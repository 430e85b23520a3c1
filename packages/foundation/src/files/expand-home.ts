import { homedir } from "node:os";
import { join } from "node:path";

/** Expands `~` and `~/…`. Leaves everything else unchanged, including `~name`. */
export function expandHome(path: string, home: string = homedir()): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}
