import { closeSync, constants, openSync, readSync } from "node:fs";

const CHUNK = 1 << 20;
/** The name may belong to a link or a pipe by now. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Compares two files of the same size. */
export function hasSameContent(one: string, other: string): boolean {
  const [a, b] = [openSync(one, READ), openSync(other, READ)];
  try {
    const [left, right] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
    for (;;) {
      const read = readSync(a, left);
      if (readSync(b, right) !== read || !left.subarray(0, read).equals(right.subarray(0, read))) return false;
      if (read === 0) return true;
    }
  } finally {
    closeSync(a);
    closeSync(b);
  }
}
