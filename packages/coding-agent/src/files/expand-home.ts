import { homedir } from "node:os";
import { join } from "node:path";

/** `~` and `~/…` as people write them; anything else as it is, `~name` included. */
export function expandHome(path: string, home: string = homedir()): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}
