import { stat } from "node:fs/promises";
import { dirname, isAbsolute, posix } from "node:path";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { globFilter } from "./search/globs.ts";
import { type FileListing, listEntries } from "./search/list-files.ts";
import { incompleteNotices } from "./search/search-faults.ts";
import { HiddenHits, searchRoot } from "./search/search-root.ts";
import { displayPath } from "./shared/paths.ts";
import { grouped } from "./shared/plural.ts";
import { outputLimits, type Truncation, truncateHead } from "./shared/truncate.ts";
import type { ToolContext } from "./tool-context.ts";

export interface FindArguments {
  pattern: string;
  path?: string;
  limit?: number;
}

export interface FindDetails {
  /** Set to the limit if there are more files. */
  resultLimitReached?: number;
  truncation?: Truncation;
}

const DEFAULT_LIMIT = 200;
/** Limits the number of files whose modification time is read. */
const MAX_LIMIT = 10_000;

export async function execute(
  { pattern, path, limit = DEFAULT_LIMIT }: FindArguments,
  { signal }: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<FindDetails>> {
  if (pattern.trim() === "") throw new Error("The pattern is empty.");
  const cwd = context.cwd();
  const root = searchRoot(path ?? patternRoot(pattern), cwd);
  if (!root.isDirectory) throw new Error(`Not a directory: ${displayPath(root.path, cwd)}`);
  const most = Math.min(limit, MAX_LIMIT);
  const wantsDirectories = pattern.endsWith("/");
  const request = {
    roots: [root.path],
    limit: most,
    countsAll: true,
    signal,
    ...(!wantsDirectories && { glob: pattern }),
  };
  const hidden = new HiddenHits("find", root, context);
  const entries = entriesFor(pattern, { root: root.path, cwd });
  const listing = await listEntries(context, request, (path) => entries(path).filter((entry) => !hidden.has(entry)));
  const paths = listing.isCut ? listing.paths : await newestFirst(listing.paths);
  const shown = paths.map((found) => displayPath(found, cwd));
  const lines = wantsDirectories ? shown.map((path) => `${path}/`) : groupPaths(shown);
  return toResult({ lines, hasHeadings: !wantsDirectories, hidden }, listing, most, context);
}

async function newestFirst(paths: readonly string[]): Promise<string[]> {
  const dated = await Promise.all(paths.map(async (path) => ({ path, time: await modifiedAt(path) })));
  // The sort is stable, so files with the same time stay in path order.
  return dated.sort((a, b) => b.time - a.time).map(({ path }) => path);
}

async function modifiedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0; // deleted in the meantime
  }
}

function total({ total: counted }: FileListing): string {
  return counted === undefined ? "more than 100,000" : grouped(counted);
}

function toResult(
  { lines, hasHeadings, hidden }: { lines: readonly string[]; hasHeadings: boolean; hidden: HiddenHits },
  listing: FileListing,
  limit: number,
  { settings }: ToolContext,
): ToolResult<FindDetails> {
  const { text, truncation } = truncateHead(lines.join("\n"), outputLimits(settings));
  const isPath = (line: string) => !hasHeadings || !isHeading(line);
  const shown = lines.slice(0, truncation?.outputLines).filter(isPath).length;
  const notices = [
    ...(listing.isCut
      ? [
          `[The first ${grouped(limit)} of ${total(listing)} in path order are shown. Narrow pattern or path, or raise limit.]`,
        ]
      : []),
    ...(truncation
      ? [`[The output limit was reached: ${shown} of ${lines.filter(isPath).length} paths are shown.]`]
      : []),
    ...(listing.unnameable > 0 ? [`[Files omitted because their names are not UTF-8: ${listing.unnameable}.]`] : []),
    ...hidden.notices,
    ...incompleteNotices(listing),
  ];
  return {
    content: [
      {
        type: "text",
        text: [text || "No files found.", ...(notices.length > 0 ? [notices.join("\n")] : [])].join("\n\n"),
      },
    ],
    details: { ...(listing.isCut && { resultLimitReached: limit }), ...(truncation && { truncation }) },
  };
}

/**
 * Returns lines that name these files. The files of one directory follow its path, each indented by one space, so the path
 * appears once: `src/` and ` a.ts` are `src/a.ts`. A file alone in its directory takes one line. Groups are ordered by their
 * first file.
 */
export function groupPaths(paths: readonly string[]): string[] {
  const groups = Map.groupBy(paths, (path) => posix.dirname(path));
  return [...groups].flatMap(([directory, files]) => {
    if (directory === "." || files.length === 1) return files.map(unindented);
    const heading = directory.endsWith("/") ? directory : `${directory}/`;
    return [unindented(heading), ...files.map((path) => ` ${posix.basename(path)}`)];
  });
}

/** Whether a line names the directory of the files that follow. */
export function isHeading(line: string): boolean {
  return line.endsWith("/");
}

/** Protects a leading space, which would otherwise mark a file of a group. */
function unindented(path: string): string {
  return path.startsWith(" ") ? `./${path}` : path;
}

const SPECIAL = /[*?[\]{}!\\]/;

/** Returns the directory that an absolute pattern names before its first wildcard. */
function patternRoot(pattern: string): string | undefined {
  if (!isAbsolute(pattern)) return undefined;
  const special = pattern.search(SPECIAL);
  if (special === -1) return dirname(pattern);
  return pattern.slice(0, Math.max(1, pattern.lastIndexOf("/", special)));
}

/** Returns what a pattern matches on the way to this file: the file, or its directories if the pattern ends with a slash. */
function entriesFor(pattern: string, place: { root: string; cwd: string }): (path: string) => readonly string[] {
  const matches = globFilter(pattern.replace(/\/+$/, ""), place);
  if (!pattern.endsWith("/")) return (path) => (matches(path) ? [path] : []);
  let last: { directory: string; entries: readonly string[] } | undefined;
  return (path) => {
    const directory = dirname(path);
    // The files of a directory are adjacent.
    if (last?.directory !== directory) last = { directory, entries: leadingTo(directory, place.root).filter(matches) };
    return last.entries;
  };
}

function leadingTo(directory: string, root: string): string[] {
  const found: string[] = [];
  for (let at = directory; at.length > root.length; at = dirname(at)) found.push(at);
  return found;
}
