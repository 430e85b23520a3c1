import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { globFilter } from "../search/glob-filter.ts";
import { HiddenHits } from "../search/hidden-hits.ts";
import { incompleteNotices } from "../search/notices.ts";
import { comparePaths } from "../search/path-order.ts";
import { type RipgrepEnd, runRipgrep } from "../search/ripgrep-run.ts";
import { explainRefusal } from "../search/search-refusal.ts";
import { type SearchRoot, searchRoot } from "../search/search-root.ts";
import { displayPath } from "../shared/paths.ts";
import { type OutputLimits, outputLimits, type Truncation } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";
import { type Collected, type CollectorOptions, MatchCollector } from "./match-collector.ts";
import { type GrepArguments, type Page, pageOf, ripgrepArguments } from "./ripgrep-arguments.ts";
import { readEvents } from "./search-events.ts";
import { MAX_LINE_CHARACTERS } from "./shown-line.ts";

export interface GrepDetails {
  /** The limit, when there are more matches. */
  matchLimitReached?: number;
  linesTruncated?: boolean;
  truncation?: Truncation;
}

export async function execute(
  args: GrepArguments,
  call: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<GrepDetails>> {
  if (args.pattern === "") throw new Error("The pattern is empty.");
  if (args.pattern.includes("\0")) throw new Error("The pattern contains a NUL character; no text file has one.");
  const root = searchRoot(args.path, context.cwd());
  const page = pageOf(args);
  const limits = outputLimits(context.settings);
  const hidden = new HiddenHits("grep", root, context);
  const isMeant = selection(args, root, context.cwd());
  const selects = (path: string) => isMeant(path) && !hidden.hasContentOf(path);
  const options = { page, limits, selects, show: showing(context.cwd()) };
  const search = async (order: readonly string[]) => {
    const request = { args: [...ripgrepArguments(args, page), ...order], roots: [root.path], signal: call.signal };
    return searchOnce(context, request, options);
  };
  const found = await inPathOrder(root, page, search);
  return toResult(found, page, limits, hidden);
}

interface Found {
  collected: Collected;
  end: RipgrepEnd;
}

/**
 * Path order means one thread for ripgrep. With all of them, matches that fit on the page can be sorted afterwards; only of
 * too many must be known which are the first.
 */
async function inPathOrder(
  { isDirectory }: SearchRoot,
  { offset }: Page,
  search: (order: readonly string[]) => Promise<Found>,
): Promise<Found> {
  if (offset === 0 || !isDirectory) {
    const found = await search([]);
    found.collected.files.sort((a, b) => comparePaths(a.path, b.path));
    if (!found.collected.cut || !isDirectory) return found;
  }
  return search(["--sort=path"]);
}

async function searchOnce(
  context: ToolContext,
  request: Parameters<typeof runRipgrep>[1],
  options: CollectorOptions,
): Promise<Found> {
  const collector = new MatchCollector(options);
  const end = await runRipgrep(
    context,
    request,
    readEvents((event) => collector.take(event)),
  );
  const { collected } = collector;
  const hasSearched = collected.isComplete || collected.cut !== undefined || end.hasTimedOut;
  if (!hasSearched) throw new Error(explainRefusal(end.complaints.text));
  return { collected, end };
}

function selection({ glob }: GrepArguments, root: SearchRoot, cwd: string): (path: string) => boolean {
  // A file that is named is meant.
  if (glob === undefined || glob.startsWith("!") || !root.isDirectory) return () => true;
  return globFilter(glob, { root: root.path, cwd });
}

function showing(cwd: string): (path: string) => string {
  return (path) => displayPath(path, cwd);
}

function toResult(
  { collected, end }: Found,
  page: Page,
  limits: OutputLimits,
  hidden: HiddenHits,
): ToolResult<GrepDetails> {
  const { files, cut, hasLongLines, hasBinary, lines, bytes, matches } = collected;
  const separator = page.context > 0 ? "\n--\n" : "\n";
  const text = files.map((file) => file.lines.join("\n")).join(separator);
  const nothing = page.offset > 0 ? `No matches after the first ${collected.skipped}.` : "No matches found.";
  const notices = [
    ...(cut ? [describeCut(cut, page, matches)] : []),
    ...(hasLongLines ? [LONG_LINES_NOTICE] : []),
    ...(hasBinary ? ["[Matches in binary files are not shown.]"] : []),
    ...hidden.notices,
    ...incompleteNotices({ hasTimedOut: end.hasTimedOut, unreadable: end.complaints.lines }),
  ];
  const isTooLong = cut === "lines" || cut === "bytes";
  return {
    content: [
      { type: "text", text: [text || nothing, ...(notices.length > 0 ? [notices.join("\n")] : [])].join("\n\n") },
    ],
    details: {
      ...(cut === "matches" && { matchLimitReached: page.limit }),
      ...(hasLongLines && { linesTruncated: true }),
      ...(isTooLong && {
        truncation: { truncated: true, truncatedBy: cut, outputLines: lines, outputBytes: bytes, ...limits },
      }),
    },
  };
}

const LONG_LINES_NOTICE = `[Lines longer than ${MAX_LINE_CHARACTERS} characters are cut.]`;

/** Says how to get what is not shown. */
function describeCut(cut: NonNullable<Collected["cut"]>, { offset, context }: Page, matches: number): string {
  if (matches === 0) return `[The output limit was reached before the first match. Use less context than ${context}.]`;
  const count = matches === 1 ? "1 match" : `${matches} matches`;
  const reason = cut === "matches" ? "" : ", where the output limit was reached";
  return `[There is more after these ${count}${reason}. Continue with offset=${offset + matches}, or narrow pattern, path or glob.]`;
}
