import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

const MAX_BYTES = 256 * 1024 * 1024;

/** A file that the user named on the command line. A pipe would wait for its other end, and some devices never end. */
export function readNamedFile(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw cannotRead(`${path} is not a regular file`);
    if (facts.size > MAX_BYTES) throw cannotRead(`${path} is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Shown like what the system says when it refuses. */
function cannotRead(message: string): Error {
  return Object.assign(new Error(message), { syscall: "read" });
}
