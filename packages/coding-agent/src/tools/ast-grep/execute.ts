import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { type ScopeArguments, wholeNumber } from "../ast/arguments.ts";
import { checkPattern } from "../ast/patterns.ts";
import { groupByDirectory, maxTouchedFiles, resultText } from "../ast/result-text.ts";
import { openScan, SCAN_BUDGET_MS, type ScanEnd, scanFiles } from "../ast/scan.ts";
import { plural } from "../shared/plural.ts";
import { outputLimits } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";
import { MatchPage } from "./matches.ts";

export interface AstGrepArguments extends ScopeArguments {
  pat: string[];
  limit?: number;
  offset?: number;
  context?: number;
}

export interface AstGrepDetails {
  matchCount: number;
  fileCount: number;
  filesSearched: number;
  limitReached: boolean;
  parseErrors?: string[];
  parseErrorsTotal?: number;
  scopePath: string;
  files: string[];
  fileMatches: { path: string; count: number }[];
}

const DEFAULT_LIMIT = 50;

export async function execute(
  args: AstGrepArguments,
  call: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<AstGrepDetails>> {
  const page = new MatchPage({
    patterns: checkPatterns(args.pat),
    limit: wholeNumber(args.limit, { field: "limit", least: 1 }) ?? DEFAULT_LIMIT,
    offset: wholeNumber(args.offset, { field: "offset", least: 0 }) ?? 0,
    context: wholeNumber(args.context, { field: "context", least: 0 }) ?? 0,
    maxFiles: maxTouchedFiles(),
  });
  const scan = openScan(args, context.cwd());
  const { patterns, offset } = page.request;
  const request = { ...scan, patterns, skipsBroken: false, signal: call.signal, budget: SCAN_BUDGET_MS };
  const end = await scanFiles(context, request, (file) => page.add(file));

  if (end.badPatterns.length === patterns.length) throw new Error(unusableText(end.badPatterns));
  const { blocks, isFull, count } = page;
  const limitReached = isFull || end.isCut || end.hasTimedOut;
  const body = blocks.length > 0 ? groupByDirectory(blocks) : nothingFound(page.seen, offset, end);
  const notes = [end.issues.toText(), limitReached ? limitNote(end, isFull ? offset + count : undefined) : ""];
  return {
    content: [{ type: "text", text: resultText(body, notes, outputLimits(context.settings)) }],
    details: {
      matchCount: count,
      fileCount: blocks.length,
      filesSearched: end.filesSearched,
      limitReached,
      ...end.issues.details(),
      scopePath: scan.scope.shown,
      files: blocks.map(({ path }) => path),
      fileMatches: blocks.map(({ path, count: matches }) => ({ path, count: matches })),
    },
  };
}

function checkPatterns(asked: readonly string[]): string[] {
  const patterns = [...new Set(asked.map((pattern) => pattern.trim()))].filter((pattern) => pattern !== "");
  if (patterns.length === 0) throw new Error("pat is empty");
  for (const pattern of patterns) checkPattern(pattern, "pat");
  return patterns;
}

/** Explains why an empty result proves nothing. */
function unusableText(bad: ScanEnd["badPatterns"]): string {
  const [one] = bad;
  if (one && bad.length === 1)
    return `Nothing was searched, because the pattern is invalid. \`${one.pattern}\`: ${one.reason}`;
  const reasons = bad.map(({ pattern, reason }) => `- \`${pattern}\`: ${reason}`);
  return ["Nothing was searched, because no pattern is valid.", ...reasons].join("\n");
}

function nothingFound(seen: number, offset: number, { issues }: ScanEnd): string {
  if (seen > 0) return `No matches found. Offset ${offset} leaves out all ${plural(seen, "match")}.`;
  if (issues.isEmpty) return "No matches found.";
  return "No matches found, but because of the parse issues below there may be some. Narrow path, glob or lang.";
}

function limitNote({ hasTimedOut }: ScanEnd, nextOffset: number | undefined): string {
  if (hasTimedOut) return "Stopped after 30 seconds; not every file was searched. Use a narrower path or glob.";
  if (nextOffset === undefined) return "There are more files than one call searches. Use a narrower path or glob.";
  return `Limit reached; there is more. Continue with offset ${nextOffset}, or use a narrower path or glob.`;
}
