import type { Run } from "./compare-lines.ts";
import { encodeText, type FileState, textOf } from "./file-state.ts";
import { compareTexts, hunkId, type TextComparison } from "./hunks.ts";

/** The two states of a file that its hunks connect. */
export interface FilePair {
  path: string;
  before: FileState | undefined;
  after: FileState | undefined;
}

/** Returns the file with only these of its hunks. The mode changes only together with all hunks. */
export function withHunks({ path, before, after }: FilePair, hunkIds: ReadonlySet<string>): FileState | undefined {
  const compared = comparePair({ before, after });
  const chosen = compared?.runs.filter((run) => hunkIds.has(hunkId(path, compared, run))) ?? [];
  if (!compared || chosen.length === 0) return before;
  if (chosen.length === compared.runs.length) return after;
  return before && { ...before, bytes: encodeText(applyRuns(compared, chosen)) };
}

/** Returns undefined for anything that cannot be split into hunks: binary files and links. */
export function comparePair({ before, after }: Omit<FilePair, "path">): TextComparison | undefined {
  if (before?.type === "symlink" || after?.type === "symlink") return undefined;
  const [old, fresh] = [before ? textOf(before) : "", after ? textOf(after) : ""];
  return old === undefined || fresh === undefined ? undefined : compareTexts(old, fresh);
}

function applyRuns({ before, after }: TextComparison, runs: readonly Run[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { oldStart, oldEnd, newStart, newEnd } of runs) {
    parts.push(before.slice(at, oldStart).join(""), after.slice(newStart, newEnd).join(""));
    at = oldEnd;
  }
  parts.push(before.slice(at).join(""));
  return parts.join("");
}
