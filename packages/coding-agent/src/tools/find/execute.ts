import { stat } from "node:fs/promises";
import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { HiddenHits } from "../search/hidden-hits.ts";
import { type FileListing, listEntries } from "../search/list-files.ts";
import { incompleteNotices } from "../search/notices.ts";
import { searchRoot } from "../search/search-root.ts";
import { displayPath } from "../shared/paths.ts";
import { outputLimits, type Truncation, truncateHead } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";
import { groupPaths, isHeading } from "./grouped-paths.ts";
import { entriesFor, patternRoot } from "./pattern.ts";

export interface FindArguments {
  pattern: string;
  path?: string;
  limit?: number;
}

export interface FindDetails {
  /** The limit, when there are more files. */
  resultLimitReached?: number;
  truncation?: Truncation;
}

const DEFAULT_LIMIT = 1_000;
/** The time of every file that is found is asked for. */
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
  const request = { roots: [root.path], limit: most, signal, ...(!wantsDirectories && { glob: pattern }) };
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
  // Stable: files of the same time stay in path order.
  return dated.sort((a, b) => b.time - a.time).map(({ path }) => path);
}

async function modifiedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0; // gone meanwhile
  }
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
      ? [`[There are more than ${limit}; these are the first in path order. Narrow pattern or path, or raise limit.]`]
      : []),
    ...(truncation
      ? [`[The output limit was reached: ${shown} of ${lines.filter(isPath).length} paths are shown.]`]
      : []),
    ...(listing.unnameable > 0 ? [`[Left out, because their names are not UTF-8: ${listing.unnameable}.]`] : []),
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
