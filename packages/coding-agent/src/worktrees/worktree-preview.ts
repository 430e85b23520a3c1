import { isAbsolute, join, relative } from "node:path";
import type { ToolResult } from "@pintle/agent";
import type { FileChange } from "@pintle/wire";
import { describeChange, type FileState, limitHunks } from "../file-changes/index.ts";
import { ApplyRefused } from "../previews/apply-refused.ts";
import type { PendingActionInput } from "../previews/pending-action.ts";
import { applyChanges, type FileVersions } from "./apply-changes.ts";
import type { ChangedEntry, Entry } from "./baseline.ts";
import type { Worktree, WorktreeChange } from "./worktree.ts";

export interface PreviewOptions {
  /** The session's folder, which paths are shown relative to. */
  cwd: string;
  home: string;
  childId: string;
  beforeWrite?: ((real: string) => void) | undefined;
}

/** A file whose content is part of a preview. */
const MAX_SHOWN_BYTES = 2 * 1024 * 1024;
/** The maximum amount of content that a preview or an apply keeps in memory. */
const MAX_PREVIEW_BYTES = 32 * 1024 * 1024;
const MAX_APPLIED_BYTES = 512 * 1024 * 1024;

/** Turns a child's changes into a preview for the session to which it belongs. */
export async function worktreePreview(
  worktree: Worktree,
  change: WorktreeChange & { patchPath: string },
  options: PreviewOptions,
): Promise<PendingActionInput & { changes: readonly FileChange[] }> {
  const { cwd, home, childId, beforeWrite } = options;
  const { root } = worktree.repository;
  const { patchPath, entries, diff, missing } = change;
  const changes = await describeEntries(worktree, entries, (path) => shownPath(root, cwd, path));
  const files = changes.map(({ path }) => path);
  const amount = `${files.length} ${files.length === 1 ? "file" : "files"}`;
  let hasConflict = false;
  const leave = async () => {
    if (missing.length === 0 && !hasConflict) await worktree.remove();
  };
  return {
    label: `Subagent ${childId}: changes in ${amount}`,
    sourceToolName: "task",
    paths: files,
    changes,
    details: { subagentId: childId, patchPath, worktree: worktree.folder, files, diff },
    async apply(): Promise<ToolResult> {
      const versions = await readVersions(worktree, entries);
      try {
        const { merged } = await applyChanges(versions, { root, home, beforeWrite });
        await leave();
        const note = merged > 0 ? ` Merged with other changes: ${merged}.` : "";
        return { content: [{ type: "text", text: `Applied the changes of ${childId} in ${amount}.${note}` }] };
      } catch (error) {
        if (!(error instanceof ApplyRefused)) throw error;
        hasConflict = true;
        const kept = `The patch is ${patchPath}, and the subagent's files are in ${worktree.folder}.`;
        throw new ApplyRefused(error.code, `${error.message} ${kept}`);
      }
    },
    async reject(reason) {
      await leave();
      const kept = hasConflict || missing.length > 0 ? ` Its files stay in ${worktree.folder}.` : "";
      const text = `Discarded the changes of ${childId}. Reason: ${reason}. The patch stays in ${patchPath}.${kept}`;
      return { content: [{ type: "text", text }] };
    },
  };
}

/** Returns a path as the session shows it: relative to its folder, absolute outside of it. */
function shownPath(root: string, cwd: string, path: string): string {
  const shown = relative(cwd, join(root, path));
  return shown === ".." || shown.startsWith("../") || isAbsolute(shown) ? join(root, path) : shown;
}

async function describeEntries(
  { baseline }: Worktree,
  entries: readonly ChangedEntry[],
  show: (path: string) => string,
): Promise<FileChange[]> {
  const sizes = await baseline.readSizes(objectsOf(entries));
  let left = MAX_PREVIEW_BYTES;
  const shown = entries.filter((entry) => {
    const bytes = objectsOf([entry]).map((object) => sizes.get(object) ?? 0);
    const total = bytes.reduce((sum, size) => sum + size, 0);
    if (bytes.some((size) => size > MAX_SHOWN_BYTES) || total > left) return false;
    left -= total;
    return true;
  });
  const contents = await baseline.readObjects(objectsOf(shown));
  const changes = entries.flatMap((entry) => {
    const named = { path: show(entry.path), ...(entry.oldPath !== undefined && { oldPath: show(entry.oldPath) }) };
    if (!shown.includes(entry)) return [{ ...summary(entry), ...named }];
    const [before, after] = [toState(entry.before, contents), toState(entry.after, contents)];
    return describeChange({ ...named, before, after, sources: ["task"] }) ?? [];
  });
  return limitHunks(changes);
}

/** Describes a file whose content is too large to be shown. */
function summary({ oldPath, before, after, lines }: ChangedEntry): Omit<FileChange, "path"> {
  return {
    status: oldPath !== undefined ? "renamed" : !before ? "added" : !after ? "deleted" : "modified",
    type: (after ?? before)?.type ?? "file",
    binary: !lines,
    added: lines?.added ?? 0,
    removed: lines?.removed ?? 0,
    ...(lines && { truncated: true as const }),
    sources: ["task"],
  };
}

async function readVersions({ baseline }: Worktree, entries: readonly ChangedEntry[]): Promise<FileVersions[]> {
  const sizes = await baseline.readSizes(objectsOf(entries));
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  if (total > MAX_APPLIED_BYTES) {
    throw new ApplyRefused("invalid_request", "The change is too large to be applied here. Use git apply.");
  }
  const contents = await baseline.readObjects(objectsOf(entries));
  return entries.flatMap((entry): FileVersions[] => {
    const [before, after] = [toState(entry.before, contents), toState(entry.after, contents)];
    if (entry.oldPath === undefined) return [{ path: entry.path, before, after }];
    return [
      { path: entry.oldPath, before, after: undefined },
      { path: entry.path, before: undefined, after },
    ];
  });
}

function objectsOf(entries: readonly ChangedEntry[]): string[] {
  return entries.flatMap(({ before, after }) => [before, after].flatMap((entry) => entry?.object ?? []));
}

function toState(entry: Entry | undefined, contents: ReadonlyMap<string, Buffer>): FileState | undefined {
  const bytes = entry && contents.get(entry.object);
  return bytes && { type: entry.type, mode: entry.mode, bytes };
}
