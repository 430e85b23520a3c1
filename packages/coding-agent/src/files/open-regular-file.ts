import { constants, type Stats } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";

export type SpecialKind = "directory" | "pipe" | "socket" | "device";

export interface OpenedFile {
  handle: FileHandle;
  stats: Stats;
}

/**
 * Opens a regular file for reading. Whatever else has the name is not opened: a pipe could wait for ever, and opening some
 * devices does something. Throws what the system answers.
 */
export async function openRegularFile(path: string): Promise<OpenedFile | { special: SpecialKind }> {
  const special = specialKind(await stat(path));
  if (special) return { special };
  // The name may belong to something else by now, so what was opened is asked again.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
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

function specialKind(stats: Stats): SpecialKind | undefined {
  if (stats.isFile()) return undefined;
  if (stats.isDirectory()) return "directory";
  if (stats.isFIFO()) return "pipe";
  return stats.isSocket() ? "socket" : "device";
}
