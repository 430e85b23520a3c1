import { errorText } from "@pintle/ai";
import { describeProcess, type ProcessIdentity } from "@pintle/foundation";
import type { LeftWorkspace } from "../subagents/isolation.ts";
import { Worktree } from "./worktree.ts";
import { type IsolationParts, patchPathOf } from "./worktree-isolation.ts";
import { listRecords, removePlaces, type WorktreeRecord } from "./worktree-record.ts";

/**
 * Finds worktrees of the open session whose process was killed, stores their changes, and returns those that have some. Each is
 * returned once. A worktree is kept until a later process finds that everything in it is stored; one without changes is
 * removed.
 */
export async function recoverWorktrees(
  sessionFile: string,
  { home, processRunner }: Pick<IsolationParts, "home" | "processRunner">,
): Promise<LeftWorkspace[]> {
  const own = describeProcess();
  const left: LeftWorkspace[] = [];
  for (const { places, record } of await listRecords(home)) {
    // No other living process can have the session open.
    if (record.sessionFile !== sessionFile || isSame(record.owner, own)) continue;
    if (record.tree === undefined || record.isRemoved || isSettled(record)) {
      await removePlaces(places);
      continue;
    }
    if (record.isReported) continue;
    const worktree = Worktree.reopen(places, record, await processRunner());
    const found = await collect(worktree, record, patchPathOf(places, { home, sessionFile }));
    if (found) left.push(found);
  }
  return left;
}

function isSame(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.startedAt === other.startedAt && one.host === other.host;
}

/** Whether all of its changes are stored and the model has been informed where. */
function isSettled({ isReported, patchPath, missing }: WorktreeRecord): boolean {
  return isReported === true && patchPath !== undefined && missing?.length === 0;
}

async function collect(worktree: Worktree, record: WorktreeRecord, path: string): Promise<LeftWorkspace | undefined> {
  const { childId, folder: directory } = record;
  try {
    const change = await worktree.finish(record.patchPath ?? path);
    if (!change) {
      await worktree.remove();
      return undefined;
    }
    worktree.reported();
    const { patchPath, missing } = change;
    return { childId, directory, ...(patchPath !== undefined && { patchPath }), missing };
  } catch (error) {
    return { childId, directory, missing: [errorText(error)] };
  }
}
