import type { DiffLine } from "../../code/parse-diff.ts";

/** Splits a diff of several files by the file name above each part. */
export function splitByFile(lines: readonly DiffLine[]): Map<string, DiffLine[]> {
  const parts = new Map<string, DiffLine[]>();
  let part: DiffLine[] | undefined;
  for (const line of lines) {
    if (line.kind === "file") {
      part = parts.get(line.text) ?? [];
      parts.set(line.text, part);
    } else part?.push(line);
  }
  return parts;
}
