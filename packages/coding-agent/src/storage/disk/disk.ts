import fs from "node:fs";

/** The calls of node:fs that storing a session needs, so that the opener of one decides what it talks to. */
export type Disk = Pick<
  typeof fs,
  | "closeSync"
  | "copyFileSync"
  | "fstatSync"
  | "fsync"
  | "fsyncSync"
  | "linkSync"
  | "mkdirSync"
  | "openSync"
  | "readFileSync"
  | "readSync"
  | "realpathSync"
  | "renameSync"
  | "rmdirSync"
  | "statSync"
  | "unlinkSync"
  | "utimesSync"
  | "writeSync"
>;

export const systemDisk: Disk = fs;

export const PRIVATE_FILE = 0o600;
export const PRIVATE_DIRECTORY = 0o700;

/** Until every byte is taken: a write may take only a part, which is no error until the next one fails. */
export function writeFully(disk: Disk, fd: number, bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) offset += disk.writeSync(fd, bytes, offset, bytes.length - offset);
}

export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The operating system refused; anything else is a mistake in the program and must not be taken for one. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "errno" in error && typeof error.errno === "number";
}
