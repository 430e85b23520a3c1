import type { AstEngine, NapiConfig, SgNode, SgRoot } from "../../native/ast-engine.ts";
import { displayPath } from "../shared/paths.ts";
import { type Candidate, type Candidates, findCandidates, type SearchContext } from "./candidates.ts";
import { inOrder } from "./in-order.ts";
import { ParseIssues } from "./issues.ts";
import type { Language, Languages } from "./languages.ts";
import { PatternSet } from "./pattern-set.ts";
import { ERRORS } from "./patterns.ts";
import type { Scope } from "./scope.ts";
import { readSource, type SourceFile } from "./source-file.ts";

export interface ScanRequest {
  engine: AstEngine;
  languages: Languages;
  scope: Scope;
  patterns: readonly string[];
  sel?: string | undefined;
  /** Replaces what the names of the files tell. */
  language?: Language | undefined;
  /** Files that do not parse are not handed over. */
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
  /** Per pattern, in the order of the source, an outer node before those inside of it. */
  matches: SgNode[][];
}

export interface ScanEnd {
  filesSearched: number;
  issues: ParseIssues;
  hasTimedOut: boolean;
  /** There are more files than are looked through. */
  isCut: boolean;
}

/** A slow file does not keep the threads from the next ones, and few trees wait in memory. */
const AHEAD = { parallel: 4, atMost: 16 };
export const SCAN_BUDGET_MS = 30_000;

/**
 * Looks for the patterns in every file of the scope, in path order, whatever is parsed first. `take` returns false when it
 * has enough.
 */
export async function scanFiles(
  context: SearchContext,
  request: ScanRequest,
  take: (file: ScannedFile) => boolean,
): Promise<ScanEnd> {
  const { engine, scope, signal, budget = Number.POSITIVE_INFINITY } = request;
  const endsAt = performance.now() + budget;
  const end: ScanEnd = { filesSearched: 0, issues: new ParseIssues(), hasTimedOut: false, isCut: false };
  const patterns = new PatternSet(engine, request.patterns, request.sel);
  const { candidates, refused, isCut } = await listInTime(context, request);
  end.isCut = isCut;
  for (const { path, reason } of refused) end.issues.add(displayPath(path, scope.cwd), reason);

  const parsed = inOrder(candidates, AHEAD, (candidate) => parse(engine, patterns, candidate));
  for await (const { path, language, outcome } of parsed) {
    signal.throwIfAborted();
    // Not left to a timer: while files are ready one after the other none would fire.
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
  for (const { pattern, reason } of patterns.issues()) end.issues.add(pattern, reason);
  return end;
}

/** When the time is over already now, there is nothing to look through. */
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
  // Nothing to look for in this language: what the file holds does not matter.
  if (!patterns.isUsableIn(candidate.language)) return { ...candidate, outcome: undefined };
  const source = await readSource(candidate.path);
  if (source === undefined || typeof source === "string") return { ...candidate, outcome: source };
  const root = await engine.parseAsync(candidate.language.engineName, source.text);
  return { ...candidate, outcome: { root, source } };
}

/** One walk through the tree for the first pattern and for errors, one for each further pattern. */
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
