import { lstatSync, type Stats } from "node:fs";
import { openRegularFile, type SpecialKind } from "../../files/open-regular-file.ts";

export interface FileVersion {
  bytes: Buffer;
  /** Throws when the path no longer names what was read. `now`: by which path to look, when it is not the one that was read. */
  refuseIfChanged(message: string, now?: string): void;
}

/** A file's content as it is now, to be replaced by something made from it. The path is one without links. */
export async function readVersion(
  path: string,
  maxBytes: number,
  shownPath: string = path,
): Promise<FileVersion | { special: SpecialKind } | { tooLarge: number }> {
  const opened = await openRegularFile(path, shownPath);
  if ("special" in opened) return opened;
  const { handle, stats } = opened;
  try {
    if (stats.size > maxBytes) return { tooLarge: stats.size };
    const bytes = await handle.readFile();
    return {
      bytes,
      refuseIfChanged(message, now = path) {
        if (!isSameVersion(stats, lstatSync(now, { throwIfNoEntry: false }))) throw new Error(message);
      },
    };
  } finally {
    await handle.close();
  }
}

function isSameVersion(before: Stats, now: Stats | undefined): boolean {
  return now !== undefined && before.ino === now.ino && before.size === now.size && before.mtimeMs === now.mtimeMs;
}
