import { lowerBound } from "../line-endings.ts";
import type { FileLines } from "../matching/file-lines.ts";
import { endOfLine } from "../matching/file-lines.ts";

const LINES_AROUND = 200;

/** One step of indentation as the file has it around a place: what a line most often has more than the one before. */
export function indentStep({ text, starts }: FileLines, nearOffset: number): string | undefined {
  const near = lowerBound(starts, nearOffset);
  const counts = new Map<string, number>();
  let before: string | undefined;
  for (let index = Math.max(0, near - LINES_AROUND); index < Math.min(starts.length, near + LINES_AROUND); index += 1) {
    const indent = indentAt(text, starts[index]!);
    if (before !== undefined && indent.length > before.length && indent.startsWith(before)) {
      const step = indent.slice(before.length);
      counts.set(step, (counts.get(step) ?? 0) + 1);
    }
    before = indent;
  }
  return [...counts].toSorted((a, b) => b[1] - a[1] || a[0].length - b[0].length)[0]?.[0];
}

function indentAt(text: string, start: number): string {
  const line = text.slice(start, endOfLine(text, start));
  return line.slice(0, line.length - line.trimStart().length);
}
