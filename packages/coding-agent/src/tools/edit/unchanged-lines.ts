import type { TextChange } from "../shared/numbered-diff.ts";
import type { Span } from "./find-text.ts";

/**
 * The replacement without the lines at its beginning and end that the model repeated only to name the place. They may
 * differ in the file in ways that a search overlooks, and are to stay like that.
 */
export function withoutUnchangedLines(text: string, match: Span, oldText: string, newText: string): TextChange {
  const oldParts = linesAndBreaks(oldText);
  const newParts = linesAndBreaks(newText);
  const shorter = Math.min(oldParts.length, newParts.length);
  let before = 0;
  while (before < shorter && oldParts[before] === newParts[before]) before += 1;
  let after = 0;
  while (after < shorter - before && oldParts.at(-1 - after) === newParts.at(-1 - after)) after += 1;
  return {
    start: afterParts(text, match, oldParts.slice(0, before)),
    end: after === 0 ? match.end : afterParts(text, match, oldParts.slice(0, -after)),
    text: newParts.slice(before, newParts.length - after).join(""),
  };
}

function linesAndBreaks(text: string): string[] {
  return text.match(/\n|[^\n]+/g) ?? [];
}

/** Breaks are counted rather than characters: only they are the same in the file for certain. */
function afterParts(text: string, { start, end }: Span, parts: readonly string[]): number {
  let offset = start;
  for (const part of parts) {
    const newline = text.indexOf("\n", offset);
    const lineEnd = newline === -1 ? end : Math.min(newline, end);
    offset = part === "\n" ? lineEnd + 1 : lineEnd;
  }
  return offset;
}
