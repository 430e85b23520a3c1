import { terminatedLines } from "@pintle/foundation";

/** A part of a file and its replacement. */
export interface TextChange {
  start: number;
  end: number;
  text: string;
}

/** Whole lines that are removed, with their newlines, and the lines that replace them. */
export interface LineHunk {
  /** Offsets in the old text. */
  start: number;
  end: number;
  removed: readonly string[];
  added: readonly string[];
}

/** Limits the search for the shortest diff, which takes quadratic time in the number of differences. */
const MAX_DIFFERENCES = 400;
const MAX_COMPARED_LINES = 20_000;

/**
 * Converts changes to hunks of lines. A hunk has no equal lines at its ends, but may have some in its middle. Changes and
 * hunks are in order and do not overlap.
 */
export function changedLines(text: string, changes: readonly TextChange[]): LineHunk[] {
  return changedBlocks(text, changes)
    .map((block) => withoutSameEnds(text, block))
    .filter(({ removed, added }) => removed.length + added.length > 0);
}

/** Like `changedLines`, without the equal lines in the middle of a hunk. */
export async function lineHunks(text: string, changes: readonly TextChange[]): Promise<LineHunk[]> {
  const hunks: LineHunk[] = [];
  for (const hunk of changedLines(text, changes)) hunks.push(...(await refine(hunk)));
  return hunks;
}

/** Widens changes to whole lines and joins changes in the same line. */
function changedBlocks(text: string, changes: readonly TextChange[]): TextChange[] {
  const blocks: TextChange[] = [];
  for (const change of changes) {
    const last = blocks.at(-1);
    const newline = text.indexOf("\n", change.end);
    const end = newline === -1 ? text.length : newline + 1;
    if (last && change.start < last.end) {
      // The rest of the line after the previous change is already included.
      const shared = last.text.slice(0, last.text.length - (last.end - change.start));
      blocks[blocks.length - 1] = { start: last.start, end, text: shared + change.text + text.slice(change.end, end) };
    } else {
      const start = change.start === 0 ? 0 : text.lastIndexOf("\n", change.start - 1) + 1;
      blocks.push({ start, end, text: text.slice(start, change.start) + change.text + text.slice(change.end, end) });
    }
  }
  return blocks;
}

function withoutSameEnds(text: string, { start, end, text: newText }: TextChange): LineHunk {
  const old = terminatedLines(text.slice(start, end));
  const fresh = terminatedLines(newText);
  const shorter = Math.min(old.length, fresh.length);
  let before = 0;
  while (before < shorter && old[before] === fresh[before]) before += 1;
  let after = 0;
  while (after < shorter - before && old.at(-1 - after) === fresh.at(-1 - after)) after += 1;
  return {
    start: start + totalLength(old.slice(0, before)),
    end: end - totalLength(old.slice(old.length - after)),
    removed: old.slice(before, old.length - after),
    added: fresh.slice(before, fresh.length - after),
  };
}

/** Removes equal lines from the middle of a hunk, if it can find them in reasonable time. */
async function refine(hunk: LineHunk): Promise<LineHunk[]> {
  const { removed, added } = hunk;
  if (Math.min(removed.length, added.length) < 2 || removed.length + added.length > MAX_COMPARED_LINES) return [hunk];
  const { diffArrays } = await import("diff");
  const parts = diffArrays([...removed], [...added], { maxEditLength: MAX_DIFFERENCES });
  if (!parts) return [hunk];
  const hunks: LineHunk[] = [];
  let at = hunk.start;
  let open: { start: number; removed: string[]; added: string[] } | undefined;
  for (const part of parts) {
    if (!part.added && !part.removed) {
      if (open) hunks.push({ ...open, end: at });
      open = undefined;
      at += totalLength(part.value);
      continue;
    }
    open ??= { start: at, removed: [], added: [] };
    if (part.added) open.added.push(...part.value);
    else {
      open.removed.push(...part.value);
      at += totalLength(part.value);
    }
  }
  if (open) hunks.push({ ...open, end: at });
  return hunks;
}

function totalLength(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}
