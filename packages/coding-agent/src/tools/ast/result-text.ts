import { posix } from "node:path";
import type { Environment } from "../../config/keys/environment.ts";
import { escapeName } from "../shared/printable-text.ts";
import { formatBytes, type OutputLimits, truncateHead } from "../shared/truncate.ts";

/** Joins the results, truncated if they are too long, with notes that are never truncated. */
export function resultText(body: string, notes: readonly string[], limits: OutputLimits): string {
  const { text, truncation } = truncateHead(body, limits);
  const cut = truncation
    ? `[The first ${truncation.outputLines} lines (${formatBytes(truncation.outputBytes)}) are shown. Narrow path or glob to see the rest.]`
    : "";
  return [text, cut, ...notes].filter((part) => part !== "").join("\n\n");
}

const DEFAULT_MAX_FILES = 1000;

/** Maximum number of files with results of one call. */
export function maxTouchedFiles(environment: Environment = process.env): number {
  const asked = Number(environment.PINTLE_MAX_AST_FILES);
  return Number.isInteger(asked) && asked >= 1 ? asked : DEFAULT_MAX_FILES;
}

/** The results of one file as lines. */
export interface FileBlock {
  /** The displayed path, with `/`. */
  path: string;
  /** `2 matches` */
  summary: string;
  lines: readonly string[];
}

/** Groups blocks with one heading per directory, in order of first appearance, and one per file below it. */
export function groupByDirectory(blocks: readonly FileBlock[]): string {
  const groups = Map.groupBy(blocks, ({ path }) => posix.dirname(path));
  return [...groups]
    .map(([directory, files]) => [`# ${directory}`, ...files.flatMap(fileLines)].join("\n"))
    .join("\n\n");
}

function fileLines({ path, summary, lines }: FileBlock): string[] {
  return [`## ${posix.basename(path)} (${summary})`, ...lines];
}

const MAX_CHARACTERS = 120;

/** Returns the first line of code, truncated, with a note about what is left out. */
export function shortLine(code: string): string {
  const [first = "", ...rest] = code.split(/\r?\n/);
  const shown = first.length > MAX_CHARACTERS ? `${cutAt(first, MAX_CHARACTERS)}…` : first;
  const more = rest.length > 0 ? ` … (+${rest.length} ${rest.length === 1 ? "line" : "lines"})` : "";
  return oneLine(shown) + more;
}

/** Escapes characters that would affect the screen or other lines, except tabs. */
export function oneLine(code: string): string {
  return code.split("\t").map(escapeName).join("\t");
}

/** Never cuts inside a surrogate pair. */
export function cutAt(text: string, length: number): string {
  const isInPair = (text.codePointAt(length - 1) ?? 0) > 0xffff;
  return text.slice(0, isInPair ? length - 1 : length);
}
