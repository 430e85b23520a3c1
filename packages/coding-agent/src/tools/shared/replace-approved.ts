import { basename, dirname } from "node:path";
import { HeldDirectory } from "../../files/held-directory.ts";
import { type Replaced, type Replacement, replaceFile } from "../../files/replace-file.ts";

export interface ApprovedReplacement extends Pick<Replacement, "content"> {
  createsDirectories?: boolean;
  /** The last moment at which the old file has its name. Given the path by which the file is to be looked at then. */
  beforeRename(path: string): void;
}

/**
 * Replaces the file at exactly this path, which was decided on and has no link in it. A program that puts a link in the place of
 * one of its directories meanwhile makes the call fail; it does not lead it elsewhere.
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
