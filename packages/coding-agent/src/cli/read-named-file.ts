import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { NamedPathError, namedPathError } from "./named-path-error.ts";

const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Reads a file named on the command line. Refuses pipes, which wait for their other end, and devices, some of which never
 * end.
 */
export function readNamedFile(path: string): Buffer {
  const descriptor = open(path);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw new NamedPathError(`${path} is not a regular file`);
    if (facts.size > MAX_BYTES) throw new NamedPathError(`${path} is larger than ${MAX_BYTES / 1024 / 1024} MB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function open(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw namedPathError("read", path, error);
  }
}
