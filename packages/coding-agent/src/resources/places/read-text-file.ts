import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { errorCode, isInside, isMissing, isSystemError, plainText } from "@pintle/foundation";

export interface TextFile {
  realPath: string;
  text: string;
  /** Size of the whole file; the text may be only its beginning. */
  bytes: number;
  isCut: boolean;
}

export interface ReadLimits {
  maxBytes: number;
  /** Directory that links must not leave, with its own links resolved. If unset, links may lead anywhere. */
  within?: string | undefined;
}

/** Returns undefined if there is no such file. Checks the resolved path and opens exactly that path. */
export function readTextFile(path: string, limits: ReadLimits): TextFile | { problem: string } | undefined {
  try {
    const realPath = realpathSync.native(path);
    const { within } = limits;
    if (within !== undefined && !isInside(within, realPath)) return { problem: LEAVES_TEXT };
    if (!lstatSync(realPath).isFile()) return { problem: "is not a file" };
    return readFile(realPath, limits.maxBytes);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return isMissing(error) ? undefined : { problem: `cannot be read (${errorCode(error)})` };
  }
}

export const LEAVES_TEXT = "links outside the project and is not used without your consent";

function readFile(realPath: string, maxBytes: number): TextFile | { problem: string } {
  // The name may refer to something else by now, so do not follow a link or block on a pipe.
  const descriptor = openSync(realPath, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) return { problem: "is not a file" };
    const buffer = Buffer.allocUnsafe(Math.min(maxBytes, facts.size));
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read) {
      read = readSync(descriptor, buffer, length, buffer.length - length, null);
    }
    const isCut = facts.size > maxBytes;
    // Drop a character that the limit cut in two.
    const text = new TextDecoder().decode(buffer.subarray(0, length), { stream: isCut });
    return { realPath, text: plainText(text), bytes: facts.size, isCut };
  } finally {
    closeSync(descriptor);
  }
}
