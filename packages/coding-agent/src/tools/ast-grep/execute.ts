import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { loadAstEngine } from "../../native/ast-engine.ts";
import { type ScopeArguments, wholeNumber } from "../ast/arguments.ts";
import { type FileBlock, groupByDirectory, plural } from "../ast/file-groups.ts";
import { Languages } from "../ast/languages.ts";
import { maxTouchedFiles } from "../ast/limits.ts";
import { checkPattern } from "../ast/patterns.ts";
import { resultText } from "../ast/result-text.ts";
import { SCAN_BUDGET_MS, type ScanEnd, scanFiles } from "../ast/scan.ts";
import { resolveScope } from "../ast/scope.ts";
import { outputLimits } from "../shared/truncate.ts";
import type { ToolContext } from "../tool-context.ts";
import { matchLines } from "./match-lines.ts";
import { matchesIn } from "./matches.ts";

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
  const limit = wholeNumber(args.limit, { field: "limit", least: 1 }) ?? DEFAULT_LIMIT;
  const offset = wholeNumber(args.offset, { field: "offset", least: 0 }) ?? 0;
  const around = wholeNumber(args.context, { field: "context", least: 0 }) ?? 0;
  const patterns = [...new Set(args.pat.map((pattern) => pattern.trim()))].filter((pattern) => pattern !== "");
  if (patterns.length === 0) throw new Error("pat is empty");
  for (const pattern of patterns) checkPattern(pattern, "pat");

  const engine = loadAstEngine();
  const languages = new Languages(engine.parsers);
  const language = args.lang === undefined ? undefined : languages.named(args.lang);
  const scope = resolveScope(args, context.cwd());
  const maxFiles = maxTouchedFiles();
  const blocks: (FileBlock & { count: number })[] = [];
  let passed = 0;
  let isFull = false;
  const end = await scanFiles(
    context,
    {
      engine,
      languages,
      scope,
      patterns,
      sel: args.sel,
      language,
      skipsBroken: false,
      signal: call.signal,
      budget: SCAN_BUDGET_MS,
    },
    (file) => {
      const found = matchesIn(file, patterns);
      const wanted = found.slice(Math.max(0, offset - passed), Math.max(0, offset + limit - passed));
      isFull = passed + found.length > offset + limit || (wanted.length > 0 && blocks.length >= maxFiles);
      passed += found.length;
      if (wanted.length > 0 && blocks.length < maxFiles) {
        const matches = wanted.map((describe) => describe());
        const lines = matchLines(file.source.text, matches, around);
        blocks.push({ path: file.shown, summary: plural(matches.length, "match"), lines, count: matches.length });
      }
      return !isFull;
    },
  );
  const limitReached = isFull || end.isCut || end.hasTimedOut;
  const body = blocks.length > 0 ? groupByDirectory(blocks) : nothingFound(passed, offset, end);
  const matchCount = blocks.reduce((sum, { count }) => sum + count, 0);
  const notes = [end.issues.toText(), limitReached ? limitNote(end, isFull ? offset + matchCount : undefined) : ""];
  return {
    content: [{ type: "text", text: resultText(body, notes, outputLimits(context.settings)) }],
    details: {
      matchCount,
      fileCount: blocks.length,
      filesSearched: end.filesSearched,
      limitReached,
      ...end.issues.details(),
      scopePath: scope.shown,
      files: blocks.map(({ path }) => path),
      fileMatches: blocks.map(({ path, count }) => ({ path, count })),
    },
  };
}

function nothingFound(passed: number, offset: number, { issues }: ScanEnd): string {
  if (passed > 0) return `No matches found. Offset ${offset} leaves out all ${plural(passed, "match")}.`;
  if (issues.isEmpty) return "No matches found.";
  return "No matches found. With the parse issues below this does not prove that there are none; narrow path, glob or lang.";
}

function limitNote({ hasTimedOut }: ScanEnd, nextOffset: number | undefined): string {
  if (hasTimedOut) return "Stopped after 30 seconds; not every file was searched. Use a narrower path or glob.";
  if (nextOffset === undefined) return "There are more files than one call searches. Use a narrower path or glob.";
  return `Limit reached; there is more. Continue with offset ${nextOffset}, or use a narrower path or glob.`;
}
