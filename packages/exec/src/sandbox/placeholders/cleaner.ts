import type { Architecture } from "../kernel/exec-code.ts";
import { type Block, execImage, type SystemCall } from "../kernel/exec-image.ts";
import { requireNumber } from "../kernel/system-calls.ts";
import { type Journal, REPLACED } from "./journal.ts";

const AT_FDCWD = -100;
const O_RDWR = 2;
const F_SETLK = 6;
const F_SETLKW = 7;
const F_WRLCK = 1;
const F_UNLCK = 2;

/**
 * Returns a program that waits until no command holds any of the locks, takes them all, and then becomes what its arguments name. It
 * ends instead if a new command takes a lock in between, because that command cleans up, or if the file at `pendingPath` is gone,
 * because pintle has cleaned up. It runs in its own session, so nothing that ends pintle or the command ends it. It holds the locks
 * until the cleanup is done.
 *
 * It waits for each lock individually before it takes them together: a killed process releases its locks one after another, and in
 * between it looks like a command that is still running.
 */
export function waitingProgram(architecture: Architecture, locks: readonly string[], pendingPath: string): Uint8Array {
  const number = (name: Parameters<typeof requireNumber>[0]) => requireNumber(name, architecture);
  const control = (path: string, command: number, type: number): SystemCall[] => [
    {
      number: number("openat"),
      args: [AT_FDCWD, zeroEnded(path), O_RDWR],
      result: { nextArgument: 0 },
      required: "the lock cannot be opened",
    },
    { number: number("fcntl"), args: [0, command, lockOf(type)], required: "the lock cannot be taken" },
  ];
  const waitFor = (path: string) => [...control(path, F_SETLKW, F_WRLCK), ...control(path, F_SETLK, F_UNLCK)];
  return execImage(architecture, [
    { number: number("setsid"), args: [] },
    ...locks.flatMap(waitFor),
    ...locks.flatMap((path, index) => control(path, index === 0 ? F_SETLKW : F_SETLK, F_WRLCK)),
    { number: number("openat"), args: [AT_FDCWD, zeroEnded(pendingPath), 0], required: "nothing is left" },
  ]);
}

/** A `struct flock` for the whole file. */
function lockOf(type: number): Block {
  const lock: Block = { bytes: new Uint8Array(32) };
  new DataView(lock.bytes.buffer).setInt16(0, type, true);
  return lock;
}

/**
 * Run by `sh` with the prefix of the owner's file names and the journal's path, then three words for each thing to remove. Does
 * the same as journal.ts.
 */
const CLEAN = `
prefix=$1 journal=$2; shift 2
while [ $# -gt 2 ]; do
  case $1 in
  d) rmdir "$2" ;;
  f) [ -f "$2" ] && [ ! -L "$2" ] && [ "$(cat "$2")" = "$3" ] && rm -f "$2" ;;
  r) rm -rf "$2" ;;
  l) [ "$(cd "\${2%/*}/" && pwd -P)" = "\${2%/*}" ] && { [ -L "$2" ] && [ "$(readlink "$2"; echo .)" = "$3
." ] || {
      if [ -e "$2" ] || [ -L "$2" ]; then mv -- "$2" "$2${REPLACED}-$$"; fi
      ln -s -- "$3" "$2"
    }; } ;;
  esac
  shift 3
done
rm -f "$journal"
set -- "$prefix".*.json
[ -e "$1" ] || rm -f "$prefix.pending"
`;

export function cleanCommand(prefix: string, journalPath: string, { made, redirects, links }: Journal): string[] {
  const words = made
    .toReversed()
    .flatMap(({ path, isDirectory, content }) => [isDirectory ? "d" : "f", path, content.trimEnd()]);
  const removed = redirects.flatMap((path) => ["r", path, ""]);
  const kept = links.flatMap(({ path, target }) => ["l", path, target]);
  return ["/bin/sh", "-c", CLEAN, "sh", prefix, journalPath, ...words, ...removed, ...kept];
}

function zeroEnded(text: string): Block {
  return { bytes: new TextEncoder().encode(`${text}\0`) };
}
