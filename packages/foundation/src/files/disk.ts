import fs from "node:fs";
import { errorCode } from "./system-error.ts";

/** The calls of node:fs that storing a session needs, so that the caller can supply its own. */
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

/** Writes every byte: a write may accept only a part, which is not an error until the next one fails. */
export function writeFully(disk: Disk, fd: number, bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) offset += disk.writeSync(fd, bytes, offset, bytes.length - offset);
}

/** Error codes of file systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(["EPERM", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"]);

export function isWithoutLinks(error: unknown): boolean {
  return NO_LINKS.has(errorCode(error));
}
