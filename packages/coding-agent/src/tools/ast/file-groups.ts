import { posix } from "node:path";

/** Results of one file, as lines. */
export interface FileBlock {
  /** As shown, with `/`. */
  path: string;
  /** `2 matches` */
  summary: string;
  lines: readonly string[];
}

/** One heading per directory, in the order in which they first appear, and one per file below it. */
export function groupByDirectory(blocks: readonly FileBlock[]): string {
  const groups = Map.groupBy(blocks, ({ path }) => posix.dirname(path));
  return [...groups]
    .map(([directory, files]) => [`# ${directory}`, ...files.flatMap(fileLines)].join("\n"))
    .join("\n\n");
}

function fileLines({ path, summary, lines }: FileBlock): string[] {
  return [`## └─ ${posix.basename(path)} (${summary})`, ...lines];
}

export function plural(count: number, noun: string): string {
  if (count === 1) return `${count} ${noun}`;
  return `${count} ${/(?:ch|sh|s|x)$/.test(noun) ? `${noun}es` : `${noun}s`}`;
}
