import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "@pintle/ai";
import { isMissing, PRIVATE_DIRECTORY, type ProcessIdentity, replaceFile } from "@pintle/foundation";
import { removeFolder } from "./remove-folder.ts";
import type { Repository } from "./repository.ts";
import { recordsDirectory, type WorktreePlaces, worktreePlaces } from "./worktree-places.ts";

/** What pintle knows about a worktree, even after it was killed. */
export interface WorktreeRecord {
  version: 1;
  /** The subagent that works in it. */
  childId: string;
  /** The session that receives the changes; absent if it is only in memory. */
  sessionFile?: string;
  owner: ProcessIdentity;
  /** The copy of the checkout. */
  folder: string;
  repository: Repository;
  /** The tree with which it started; absent until it is complete. */
  tree?: string;
  /** The commits that the user's repository already had. */
  known?: string[];
  /** Where its changes are stored, once they are. */
  patchPath?: string;
  /** What the patch does not contain, once that is known. */
  missing?: string[];
  /** Whether a later process has informed the model of it. */
  isReported?: true;
  /** Set before it is removed, because a part of it may then be missing. */
  isRemoved?: true;
}

const FILE = "record.json";

export async function createPlaces({ worktree, record }: WorktreePlaces): Promise<void> {
  for (const folder of [worktree, record]) await mkdir(folder, { recursive: true, mode: PRIVATE_DIRECTORY });
}

export async function removePlaces({ worktree, record }: WorktreePlaces): Promise<void> {
  // The record is removed last, so that an interrupted removal can be continued.
  await removeFolder(worktree);
  await removeFolder(record);
}

export function writeRecord({ record }: WorktreePlaces, content: WorktreeRecord): void {
  replaceFile(join(record, FILE), { content: Buffer.from(JSON.stringify(content)), isPrivate: true, fsync: true });
}

/** Returns all worktrees below pintle's home that have a readable record. */
export async function listRecords(home: string): Promise<{ places: WorktreePlaces; record: WorktreeRecord }[]> {
  const names = await readdir(recordsDirectory(home)).catch(() => []); // there may not be any
  const found = await Promise.all(
    names.map(async (name) => {
      const places = worktreePlaces(home, name);
      const record = await readRecord(places);
      return record ? [{ places, record }] : [];
    }),
  );
  return found.flat();
}

async function readRecord({ record }: WorktreePlaces): Promise<WorktreeRecord | undefined> {
  try {
    const content: unknown = JSON.parse(await readFile(join(record, FILE), "utf8"));
    // Only pintle writes it, so checking the version is sufficient.
    return isRecord(content) && content.version === 1 ? (content as unknown as WorktreeRecord) : undefined;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
