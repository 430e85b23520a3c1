import { countLines } from "@pintle/foundation";
import type { FileChange } from "@pintle/wire";
import { type FileState, isBinary, isSameContent, isSameState, textOf } from "./file-state.ts";
import { compareTexts, hunksOf } from "./hunks.ts";

/** Larger files have no hunks. */
export const MAX_COMPARED_BYTES = 2 * 1024 * 1024;
/** Files with more changed lines have no hunks. */
export const MAX_CHANGED_LINES = 20_000;
/** The lines of all hunks in one list. */
const MAX_LISTED_BYTES = 1024 * 1024;

export interface ChangedFile {
  path: string;
  /** The former path of a renamed file; `before` is its state there. */
  oldPath?: string;
  before: FileState | undefined;
  after: FileState | undefined;
  /** The tools that made the change. */
  sources: readonly string[];
}

/** Returns undefined if nothing has changed. */
export function describeChange({ path, oldPath, before, after, sources }: ChangedFile): FileChange | undefined {
  const shown = after ?? before;
  if (!shown || (oldPath === undefined && isSameState(before, after))) return undefined;
  return {
    path,
    ...(oldPath !== undefined && { oldPath }),
    status: oldPath !== undefined ? "renamed" : !before ? "added" : !after ? "deleted" : "modified",
    type: shown.type,
    ...describeModes(before, after),
    ...describeContent(path, before, after),
    sources: [...sources],
  };
}

function describeModes(before: FileState | undefined, after: FileState | undefined) {
  const [oldMode, newMode] = [modeOf(before), modeOf(after)];
  if (oldMode === newMode || newMode === undefined) return {};
  return { ...(oldMode !== undefined && { oldMode }), newMode };
}

function modeOf(state: FileState | undefined): number | undefined {
  return state?.type === "file" ? state.mode : undefined;
}

type Content = Pick<FileChange, "binary" | "added" | "removed" | "hunks" | "truncated">;

function describeContent(path: string, before: FileState | undefined, after: FileState | undefined): Content {
  const sides = [before, after].filter((state) => state !== undefined);
  if (sides.some(({ type }) => type === "symlink")) return { binary: false, added: 0, removed: 0 };
  if (sides.some(({ bytes }) => isBinary(bytes))) return { binary: true, added: 0, removed: 0 };
  if (before && after && isSameContent(before, after)) return { binary: false, added: 0, removed: 0 };
  const [old, fresh] = [before ? textOf(before)! : "", after ? textOf(after)! : ""];
  if (sides.some(({ bytes }) => bytes.length > MAX_COMPARED_BYTES)) {
    return { binary: false, ...countChanged(old, fresh), truncated: true };
  }
  const comparison = compareTexts(old, fresh);
  const added = comparison.runs.reduce((sum, { newStart, newEnd }) => sum + newEnd - newStart, 0);
  const removed = comparison.runs.reduce((sum, { oldStart, oldEnd }) => sum + oldEnd - oldStart, 0);
  if (added + removed > MAX_CHANGED_LINES) return { binary: false, added, removed, truncated: true };
  return { binary: false, added, removed, ...(added + removed > 0 && { hunks: hunksOf(path, comparison) }) };
}

/** Counts the lines from the first change to the last one, without comparing those between them. */
function countChanged(before: string, after: string): { added: number; removed: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  start = start === 0 ? 0 : before.lastIndexOf("\n", start - 1) + 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const isWholeLines = [before, after].every((text) => {
    const at = text.length - end;
    return at === start || text[at - 1] === "\n";
  });
  if (!isWholeLines) {
    const newline = before.indexOf("\n", before.length - end);
    end = newline === -1 ? 0 : before.length - newline - 1;
  }
  return {
    added: countLines(after.slice(start, after.length - end)),
    removed: countLines(before.slice(start, before.length - end)),
  };
}

/** Leaves out hunks that would make the lines of the list too large. Hosts can request those files by name. */
export function limitHunks(changes: readonly FileChange[], maxBytes = MAX_LISTED_BYTES): FileChange[] {
  let left = maxBytes;
  return changes.map((change) => {
    const bytes = (change.hunks ?? []).flatMap(({ lines }) => lines).reduce((sum, line) => sum + byteLength(line), 0);
    if (bytes <= left) {
      left -= bytes;
      return change;
    }
    const { hunks: _, ...rest } = change;
    return { ...rest, truncated: true };
  });
}

const byteLength = (line: string) => Buffer.byteLength(line);
