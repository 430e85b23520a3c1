import { join } from "node:path";
import { errorText } from "@pintle/ai";
import type { ProcessRunner } from "@pintle/exec/processes";
import type { FileChange, FileSummary } from "@pintle/wire";
import type { IsolatedChanges, IsolatedSubagent, IsolatedWorkspace } from "../subagents/isolation.ts";
import { GitError } from "./git.ts";
import { Worktree } from "./worktree.ts";
import { worktreePreview } from "./worktree-preview.ts";

export interface IsolationParts {
  /** pintle's own directory. */
  home: string;
  userHome: string;
  processRunner(): Promise<ProcessRunner>;
}

/**
 * Creates a worktree for a subagent. If that is impossible, throws an error for the model, and the task must not run.
 */
export async function startInWorktree(
  { id, cwd, sessionFile, beforeWrite }: IsolatedSubagent,
  { home, userHome, processRunner }: IsolationParts,
  signal: AbortSignal,
): Promise<IsolatedWorkspace> {
  const worktree = await createWorktree({
    cwd,
    home,
    userHome,
    childId: id,
    sessionFile,
    processRunner: await processRunner(),
    signal,
  });
  const options = { cwd, home, childId: id, beforeWrite };
  return {
    cwd: worktree.folderOf(cwd),
    finish: () => collect(worktree, patchPathOf(worktree, { home, sessionFile }), options),
  };
}

async function createWorktree(options: Parameters<typeof Worktree.create>[0]): Promise<Worktree> {
  try {
    return await Worktree.create(options);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Error(`isolation "worktree" is not possible here: ${error.message}. The task was not started.`, {
      cause: error,
    });
  }
}

/** Returns where the changes of a worktree are stored: with its session, or in pintle's own directory. */
export function patchPathOf(
  { name }: Pick<Worktree, "name">,
  { home, sessionFile }: { home: string; sessionFile: string | undefined },
): string {
  const folder = sessionFile === undefined ? join(home, "worktrees", "patches") : sessionFile.replace(/\.jsonl$/, "");
  return join(folder, `${name}.patch`);
}

/** Does not reject. Keeps the subagent's files, whatever fails. */
async function collect(
  worktree: Worktree,
  path: string,
  options: Parameters<typeof worktreePreview>[2],
): Promise<IsolatedChanges> {
  const stays = `The subagent's files stay in ${worktree.folder}.`;
  try {
    const change = await worktree.finish(path);
    if (!change) {
      await worktree.remove();
      return { filesChanged: [] };
    }
    const { patchPath, missing } = change;
    const problem =
      missing.length > 0 ? { problem: `The patch does not contain: ${missing.join("; ")}. ${stays}` } : {};
    if (patchPath === undefined) return { filesChanged: [], ...problem };
    const preview = await worktreePreview(worktree, { ...change, patchPath }, options);
    return { filesChanged: preview.changes.map(toSummary), patchPath, preview, ...problem };
  } catch (error) {
    return { filesChanged: [], problem: `The changes could not be collected: ${errorText(error)}. ${stays}` };
  }
}

function toSummary({ path, status, added, removed, binary }: FileChange): FileSummary {
  return { path, status, added, removed, binary };
}
