import { join } from "node:path";

/**
 * The folders of a worktree: the checkout itself, which tools may write, and the part that only pintle may write, because git
 * would act on it.
 */
export interface WorktreePlaces {
  name: string;
  /** Contains the checkout. */
  worktree: string;
  /** Contains the record and the baseline. */
  record: string;
}

export function worktreePlaces(home: string, name: string): WorktreePlaces {
  return { name, worktree: join(home, "worktrees", name), record: join(recordsDirectory(home), name) };
}

export const recordsDirectory = (home: string) => join(home, "worktree-records");
