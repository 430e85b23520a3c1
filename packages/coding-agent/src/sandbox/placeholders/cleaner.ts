import type { Architecture } from "../kernel/exec-code.ts";
import { type Block, execImage } from "../kernel/exec-image.ts";
import { requireNumber } from "../kernel/system-calls.ts";
import type { Journal } from "./journal.ts";

const AT_FDCWD = -100;
const O_RDWR = 2;
const F_SETLKW = 7;
const F_WRLCK = 1;

/**
 * A program that waits until no process of any command holds the lock, and then becomes what its arguments name, unless the file at
 * `pendingPath` is gone: then pintle has cleaned up. It has a session of its own, so that nothing that ends pintle or the command
 * ends it.
 */
export function waitingProgram(architecture: Architecture, lockPath: string, pendingPath: string): Uint8Array {
  const number = (name: Parameters<typeof requireNumber>[0]) => requireNumber(name, architecture);
  const lock: Block = { bytes: new Uint8Array(32) };
  new DataView(lock.bytes.buffer).setInt16(0, F_WRLCK, true);
  return execImage(architecture, [
    { number: number("setsid"), args: [] },
    // Stays open: the lock is held until the cleaning is done.
    {
      number: number("openat"),
      args: [AT_FDCWD, zeroEnded(lockPath), O_RDWR],
      result: { nextArgument: 0 },
      required: "the lock cannot be opened",
    },
    { number: number("fcntl"), args: [0, F_SETLKW, lock], required: "the lock cannot be taken" },
    { number: number("openat"), args: [AT_FDCWD, zeroEnded(pendingPath), 0], required: "nothing is left" },
  ]);
}

/**
 * Run by `sh` with the beginning of the owner's file names and the journal's path, then three words for each thing to remove. Does
 * what journal.ts does.
 */
const CLEAN = `
prefix=$1 journal=$2; shift 2
while [ $# -gt 2 ]; do
  case $1 in
  d) rmdir "$2" ;;
  f) [ -f "$2" ] && [ ! -L "$2" ] && [ "$(cat "$2")" = "$3" ] && rm -f "$2" ;;
  r) rm -rf "$2" ;;
  esac
  shift 3
done
rm -f "$journal"
set -- "$prefix".*.json
[ -e "$1" ] || rm -f "$prefix.pending"
`;

export function cleanCommand(prefix: string, journalPath: string, { made, redirects }: Journal): string[] {
  const words = made
    .toReversed()
    .flatMap(({ path, isDirectory, content }) => [isDirectory ? "d" : "f", path, content.trimEnd()]);
  return ["/bin/sh", "-c", CLEAN, "sh", prefix, journalPath, ...words, ...redirects.flatMap((path) => ["r", path, ""])];
}

function zeroEnded(text: string): Block {
  return { bytes: new TextEncoder().encode(`${text}\0`) };
}
