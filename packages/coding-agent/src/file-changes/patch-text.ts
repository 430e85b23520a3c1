import { terminatedLines } from "@pintle/foundation";
import type { Hunk } from "@pintle/wire";

const ENDING = /\r?\n$/;
const bare = (line: string) => line.replace(ENDING, "").replace(/\r$/, "");

/**
 * Returns the text with all hunks, or undefined if they do not fit exactly. Hunks have no line endings: new lines get the
 * ending of the line before them.
 */
export function patchText(text: string, hunks: readonly Hunk[]): string | undefined {
  const old = terminatedLines(text);
  const parts: string[] = [];
  let at = 0;
  for (const { oldStart, oldLines, lines } of hunks) {
    const start = oldLines === 0 ? oldStart : oldStart - 1;
    if (start < at || start > old.length) return undefined;
    parts.push(...old.slice(at, start));
    at = start;
    let ending = ENDING.exec(old[Math.max(0, start - 1)] ?? "\n")?.[0] ?? "\n";
    for (const [index, line] of lines.entries()) {
      const [sign, content] = [line[0], line.slice(1)];
      if (sign === "\\") continue;
      if (sign === "+") {
        const isLast = lines[index + 1]?.startsWith("\\");
        parts.push(content + (isLast ? "" : content.endsWith("\r") ? "\n" : ending));
        continue;
      }
      const before = old[at];
      if (before === undefined || bare(before) !== bare(content)) return undefined;
      ending = ENDING.exec(before)?.[0] ?? ending;
      if (sign === " ") parts.push(before);
      at += 1;
    }
    if (at - start !== oldLines) return undefined;
  }
  return [...parts, ...old.slice(at)].join("");
}
