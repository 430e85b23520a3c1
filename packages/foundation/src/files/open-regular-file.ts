import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { NO_LINKS, PathExchangedError, requireOpenedAt } from "./held-directory.ts";
import { errorCode } from "./system-error.ts";

export type SpecialKind = "directory" | "pipe" | "socket" | "device";

export interface OpenedFile {
  handle: FileHandle;
  stats: Stats;
}

/**
 * Opens a regular file for reading. Anything else with that name is not opened: a pipe could block forever, and opening some
 * devices has effects. With `shownPath`, the path must be free of links, and either the file at exactly that path is opened or
 * PathExchangedError is thrown. Throws system errors.
 */
export async function openRegularFile(
  path: string,
  shownPath?: string,
): Promise<OpenedFile | { special: SpecialKind }> {
  const special = specialKind(await stat(path));
  if (special) return { special };
  // The name may belong to something else by now, so check the opened file again.
  const handle = shownPath === undefined ? await open(path, READ) : await openWithoutLinks(path, shownPath);
  try {
    if (shownPath !== undefined) requireOpenedAt(handle.fd, path, shownPath);
    const stats = await handle.stat();
    const late = specialKind(stats);
    if (!late) return { handle, stats };
    await handle.close();
    return { special: late };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

const READ = constants.O_RDONLY | constants.O_NONBLOCK;

async function openWithoutLinks(path: string, shownPath: string): Promise<FileHandle> {
  try {
    return await open(path, READ | NO_LINKS);
  } catch (error) {
    throw errorCode(error) === "ELOOP" ? new PathExchangedError(shownPath) : error;
  }
}

function specialKind(stats: Stats): SpecialKind | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return "directory";
  if (stats.isFIFO()) return "pipe";
  return stats.isSocket() ? "socket" : "device";
}
