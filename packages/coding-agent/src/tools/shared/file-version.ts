import { lstatSync, type Stats } from "node:fs";
import { basename, dirname } from "node:path";
import {
  HeldDirectory,
  openRegularFile,
  type Replaced,
  type Replacement,
  replaceFile,
  type SpecialKind,
} from "@pintle/foundation";

export interface FileVersion {
  bytes: Buffer;
  /** Throws if the path no longer names the file that was read. `now` is the path to check if it differs. */
  refuseIfChanged(message: string, now?: string): void;
}

/** Reads a file whose content will be replaced by a changed version. The path must not contain links. */
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

interface ApprovedReplacement extends Pick<Replacement, "content"> {
  createsDirectories?: boolean;
  /** Called just before the old file is replaced, with the path by which to check it. */
  beforeRename(path: string): void;
}

/**
 * Replaces the file at exactly the approved path, which contains no links. If another program replaces one of the
 * directories by a link in the meantime, the call fails instead of writing elsewhere.
 */
export function replaceApproved(real: string, shownPath: string, replacement: ApprovedReplacement): Replaced {
  const { content, createsDirectories = false, beforeRename } = replacement;
  const within = HeldDirectory.open(dirname(real), shownPath, { create: createsDirectories });
  try {
    return replaceFile(real, { content, within, beforeRename: () => beforeRename(within.pathOf(basename(real))) });
  } finally {
    within.close();
  }
}
