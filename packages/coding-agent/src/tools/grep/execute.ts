import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { globFilter } from "../search/globs.ts";
import { comparePaths } from "../search/path-order.ts";
import { type RipgrepEnd, runRipgrep } from "../search/ripgrep-run.ts";
import { explainRefusal, incompleteNotices } from "../search/search-faults.ts";
import { HiddenHits, type SearchRoot, searchRoot } from "../search/search-root.ts";
import { displayPath } from "../shared/paths.ts";
import { countOf, grouped } from "../shared/plural.ts";
import { type OutputLimits, outputLimits, type Truncation } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";
import { countMatches, listCounts, totalMatches } from "./count-matches.ts";
import { type Collected, type CollectorOptions, MAX_LINE_CHARACTERS, MatchCollector } from "./match-collector.ts";
import { type GrepArguments, matchArguments, type Page, pageArguments, pageOf } from "./ripgrep-arguments.ts";
import { readEvents } from "./search-events.ts";

export interface GrepDetails {
  /** Set to the limit if there are more matches. */
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
  if (args.pattern.includes("\0")) throw new Error("The pattern contains a NUL character, which no text file has.");
  const root = searchRoot(args.path, context.cwd());
  const page = pageOf(args);
  const limits = outputLimits(context.settings);
  const hidden = new HiddenHits("grep", root, context);
  const isMeant = selection(args, root, context.cwd());
  const selects = (path: string) => isMeant(path) && !hidden.hasContentOf(path);
  const options = { page, limits, selects, show: showing(context.cwd()) };
  const request = { args: matchArguments(args), roots: [root.path], signal: call.signal };
  if (args.output === "files" || args.output === "count") {
    const counts = await countMatches(context, request, selects);
    return listCounts(counts, { output: args.output, page, limits, hidden, show: options.show });
  }
  const search = async (order: readonly string[]) =>
    searchOnce(context, { ...request, args: [...pageArguments(page), ...request.args, ...order] }, options);
  const found = await inPathOrder(root, page, search);
  const total = found.collected.cut ? await totals(context, request, selects) : undefined;
  return toResult(found, page, limits, hidden, total);
}

/** Total number of matches and files. */
interface Totals {
  matches: number;
  files: number;
}

/** Counts only if the page does not contain everything. Returns undefined if counting took too long. */
async function totals(...args: Parameters<typeof countMatches>): Promise<Totals | undefined> {
  const { files, end } = await countMatches(...args);
  return end.hasTimedOut ? undefined : { matches: totalMatches(files), files: files.length };
}

interface Found {
  collected: Collected;
  end: RipgrepEnd;
}

/**
 * Path order limits ripgrep to one thread. With several threads, matches that fit on the page can be sorted afterwards;
 * only if there are too many must ripgrep itself find the first ones.
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
  // A file that the call names is always searched.
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
  total: Totals | undefined,
): ToolResult<GrepDetails> {
  const { files, cut, hasLongLines, hasBinary, lines, bytes, matches } = collected;
  const separator = page.context > 0 ? "\n--\n" : "\n";
  const text = files.map((file) => file.lines.join("\n")).join(separator);
  const nothing = page.offset > 0 ? `No matches after the first ${collected.skipped}.` : "No matches found.";
  const notices = [
    ...(cut ? [describeCut(cut, page, matches, total)] : []),
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

const LONG_LINES_NOTICE = `[Lines longer than ${MAX_LINE_CHARACTERS} characters are truncated.]`;

/** Explains how much there is and how to get the rest. */
function describeCut(
  cut: NonNullable<Collected["cut"]>,
  { offset, context }: Page,
  matches: number,
  total: Totals | undefined,
): string {
  if (matches === 0) return `[The output limit was reached before the first match. Use less context than ${context}.]`;
  const last = offset + matches;
  const shown = offset === 0 ? `The first ${grouped(matches)}` : `Matches ${grouped(offset + 1)} to ${grouped(last)}`;
  // The count may be smaller: it counts each line of a multi-line match, and a file may have changed in the meantime.
  const all =
    total && total.matches > last ? ` of ${grouped(total.matches)} matches in ${countOf(total.files, "file")}` : "";
  const reason = cut === "matches" ? "" : ", up to the output limit";
  return `[${shown}${all || " matches"} are shown${reason}. Continue with offset=${last}, or narrow pattern, path or glob.]`;
}
