import { type AstEngine, loadAstEngine, type NapiConfig, type SgNode, type SgRoot } from "@pintle/exec/native";
import { displayPath } from "../shared/paths.ts";
import type { ScopeArguments } from "./arguments.ts";
import { ParseIssues } from "./issues.ts";
import { type Language, Languages } from "./languages.ts";
import { ERRORS, PatternSet } from "./patterns.ts";
import {
  type Candidate,
  type Candidates,
  findCandidates,
  resolveScope,
  type Scope,
  type SearchContext,
} from "./scope.ts";
import { readSource, type SourceFile } from "./source-file.ts";

export interface ScanRequest {
  engine: AstEngine;
  languages: Languages;
  scope: Scope;
  patterns: readonly string[];
  sel?: string | undefined;
  /** Overrides the language by file name. */
  language?: Language | undefined;
  /** Whether files that do not parse are skipped. */
  skipsBroken: boolean;
  signal: AbortSignal;
  /** In milliseconds. */
  budget?: number;
}

/** A file in which something was found. */
export interface ScannedFile {
  path: string;
  shown: string;
  source: SourceFile;
  /** Per pattern, in source order, outer nodes before inner ones. */
  matches: SgNode[][];
}

export interface ScanEnd {
  filesSearched: number;
  issues: ParseIssues;
  /** Patterns that parse in none of the languages and match nothing. */
  badPatterns: { pattern: string; reason: string }[];
  hasTimedOut: boolean;
  /** Whether some files were not searched. */
  isCut: boolean;
}

/**
 * Number of files ahead of the current one: enough to keep the threads busy while one file is slow, but few trees in memory.
 */
const AHEAD = { parallel: 4, atMost: 16 };
export const SCAN_BUDGET_MS = 30_000;

/**
 * Searches every file of the scope for the patterns. Reports files in path order, although they are parsed in parallel.
 * Stops when `take` returns false.
 */
export async function scanFiles(
  context: SearchContext,
  request: ScanRequest,
  take: (file: ScannedFile) => boolean,
): Promise<ScanEnd> {
  const { engine, scope, signal, budget = Number.POSITIVE_INFINITY } = request;
  const endsAt = performance.now() + budget;
  const end: ScanEnd = {
    filesSearched: 0,
    issues: new ParseIssues(),
    badPatterns: [],
    hasTimedOut: false,
    isCut: false,
  };
  const patterns = new PatternSet(engine, request.patterns, request.sel);
  const { candidates, refused, isCut } = await listInTime(context, request);
  end.isCut = isCut;
  for (const { path, reason } of refused) end.issues.add(displayPath(path, scope.cwd), reason);

  const parsed = inOrder(candidates, AHEAD, (candidate) => parse(engine, patterns, candidate));
  for await (const { path, language, outcome } of parsed) {
    signal.throwIfAborted();
    // Checked here, because no timer fires as long as the next file is always ready.
    if (performance.now() >= endsAt) break;
    if (outcome === undefined) continue;
    const shown = displayPath(path, scope.cwd);
    if (typeof outcome === "string") {
      end.issues.add(shown, outcome);
      continue;
    }
    end.filesSearched += 1;
    const { perPattern, isBroken } = search(outcome.root.root(), patterns.matchersFor(language));
    if (isBroken) end.issues.add(shown, "syntax error");
    if (isBroken && request.skipsBroken) continue;
    patterns.count(perPattern);
    if (perPattern.every((list) => list.length === 0)) continue;
    if (!take({ path, shown, source: outcome.source, matches: perPattern })) return finish(end, patterns);
  }
  end.hasTimedOut = performance.now() >= endsAt;
  return finish(end, patterns);
}

function finish(end: ScanEnd, patterns: PatternSet): ScanEnd {
  end.badPatterns = patterns.issues();
  for (const { pattern, reason } of end.badPatterns) end.issues.add(pattern, reason);
  return end;
}

/** Returns no candidates if listing the files takes longer than the budget. */
async function listInTime(context: SearchContext, request: ScanRequest): Promise<Candidates> {
  const { signal, budget } = request;
  if (budget === undefined) return findCandidates(context, request, signal);
  const deadline = AbortSignal.timeout(budget);
  try {
    return await findCandidates(context, request, AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (error !== deadline.reason) throw error;
    return { candidates: [], refused: [], isCut: false };
  }
}

type Outcome = { root: SgRoot; source: SourceFile } | string | undefined;
interface Parsed extends Candidate {
  outcome: Outcome;
}

async function parse(engine: AstEngine, patterns: PatternSet, candidate: Candidate): Promise<Parsed> {
  // No pattern is valid in this language, so the file need not be read.
  if (!patterns.isUsableIn(candidate.language)) return { ...candidate, outcome: undefined };
  const source = await readSource(candidate.path);
  if (source === undefined || typeof source === "string") return { ...candidate, outcome: source };
  const root = await engine.parseAsync(candidate.language.engineName, source.text);
  return { ...candidate, outcome: { root, source } };
}

/** Traverses the tree once for the first pattern and errors, and once for each further pattern. */
function search(root: SgNode, matchers: readonly (NapiConfig | undefined)[]) {
  let isBroken = false;
  let asksForErrors = true;
  const perPattern = matchers.map((matcher) => {
    if (!matcher) return [];
    if (!asksForErrors) return root.findAll(matcher);
    asksForErrors = false;
    const found = root.findAll({ rule: { any: [ERRORS.rule, matcher.rule] } });
    const matches = found.filter((node) => !node.is("ERROR"));
    isBroken = matches.length < found.length;
    return matches;
  });
  return { perPattern, isBroken };
}

/** Checks the arguments that both tools share and throws an Error for the model. Models also send "" to omit an argument. */
export function openScan(
  args: ScopeArguments,
  cwd: string,
): Pick<ScanRequest, "engine" | "languages" | "language" | "scope" | "sel"> {
  const engine = loadAstEngine();
  const languages = new Languages(engine.parsers);
  const lang = given(args.lang);
  return {
    engine,
    languages,
    language: lang === undefined ? undefined : languages.named(lang),
    scope: resolveScope({ path: given(args.path), glob: given(args.glob) }, cwd),
    sel: given(args.sel),
  };
}

function given(text: string | undefined): string | undefined {
  return text?.trim() === "" ? undefined : text;
}

/**
 * Processes items ahead of the consumer: `parallel` at a time, with at most `atMost` in progress or waiting to be consumed.
 * Yields the results in the order of the items.
 */
export async function* inOrder<T, R>(
  items: readonly T[],
  { parallel, atMost }: { parallel: number; atMost: number },
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  const inLine: (() => void)[] = [];
  let active = 0;
  let isOver = false;

  const workInTurn = async (item: T): Promise<R> => {
    if (active < parallel) active += 1;
    else await new Promise<void>((resolve) => inLine.push(resolve)); // the next job that ends passes its slot on
    try {
      if (isOver) throw new Error("the scan has ended");
      return await work(item);
    } finally {
      const next = inLine.shift();
      if (next) next();
      else active -= 1;
    }
  };

  try {
    for (const item of items) {
      const result = workInTurn(item);
      result.catch(() => {}); // awaited later; avoids an unhandled rejection until then
      begun.push(result);
      if (begun.length >= atMost) yield await begun.shift()!;
    }
    while (begun.length > 0) yield await begun.shift()!;
  } finally {
    isOver = true;
    await Promise.allSettled(begun);
  }
}
