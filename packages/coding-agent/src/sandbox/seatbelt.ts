import type { Access, Place } from "./access-plan.ts";

const SANDBOX_EXEC = "/usr/bin/sandbox-exec";

export interface SeatbeltRequest {
  places: readonly Place[];
  network: "on" | "off";
  command: readonly string[];
}

/** The rules of a place. Later rules win, and places come parents first. */
const RULES: Record<Access, (filter: string) => string[]> = {
  write: (filter) => [`(allow file-write* ${filter})`],
  read: (filter) => [`(deny file-write* ${filter})`, `(allow file-read* ${filter})`],
  hidden: (filter) => [`(deny file-read* file-write* ${filter})`],
};

/** A profile for macOS. Written from its documentation and never run: the strength it gives is `partial` for that reason. */
export function seatbeltProfile({ places, network }: Omit<SeatbeltRequest, "command">): string {
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (regex #"^/dev/fd/"))',
    ...places.flatMap(({ path, access, isDirectory }) => {
      const filter = `(${isDirectory ? "subpath" : "literal"} ${quote(path)})`;
      // A directory above a protected place keeps its name.
      const pinned = access === "write" ? [] : [`(deny file-write-unlink (literal ${quote(path)}))`];
      return [...RULES[access](filter), ...pinned];
    }),
    "(deny signal (target others))",
    "(allow signal (target same-sandbox))",
    "(deny process-info* (target others))",
    ...(network === "off" ? ["(deny network*)", '(allow network* (local ip "localhost:*"))'] : []),
  ].join("\n");
}

export function seatbeltCommand({ command, ...profile }: SeatbeltRequest): [string, ...string[]] {
  return [SANDBOX_EXEC, "-p", seatbeltProfile(profile), ...command];
}

function quote(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
