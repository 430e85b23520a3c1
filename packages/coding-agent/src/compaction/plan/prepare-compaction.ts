import { type AssistantMessage, estimateTextTokens, promptTokens } from "@pintle/ai";
import type { EntryOf } from "@pintle/storage";
import type { SessionEntry } from "@pintle/wire";
import { CompactionError } from "../compaction-error.ts";
import type { CompactionPreparation } from "../compaction-hooks.ts";
import type { AutoReason, CompactionSession } from "../compaction-types.ts";
import { type CompactionWindow, type ContextItem, readWindow } from "../size/context-items.ts";
import { collectFiles, type FileSets } from "../summary/file-operations.ts";
import { type CompactionPlan, planCompaction } from "./compaction-plan.ts";
import { planPruning, withPruning } from "./prune-plan.ts";
import { type WindowBudget, windowBudget } from "./window-budget.ts";

export interface PrepareRequest {
  session: CompactionSession;
  reason: AutoReason | "manual";
  reserveTokens: number;
  keepRecentTokens: number;
  /** Undefined if the window is unknown. */
  threshold?: number;
  tokensBefore: number;
  /** The answer whose usage says how large the conversation is. */
  measure?: AssistantMessage;
  overheadTokens: number;
  /** A run is going on: the newest messages are what the model works on. */
  isMidRun?: boolean;
}

/** A conversation that makes up less of the threshold than this is not what fills the window. */
const LEAST_SHARE = 0.05;

/** A summary somewhat longer than it was asked for stays as it is: writing it again would free nothing. */
const SUMMARY_TOLERANCE = 2;

/** What is going to be done, fixed before the first wait. */
export interface PreparedCompaction {
  session: CompactionSession;
  leafId: string | null;
  path: readonly SessionEntry[];
  plan: CompactionPlan;
  budget: WindowBudget;
  previous?: EntryOf<"compaction">;
  files: FileSets;
  tokensBefore: number;
  /** Results of the kept part that leave the context together with what is summarized. */
  pruneIds: string[];
}

/** Throws when there is nothing to do, or when nothing helps. */
export function prepareCompaction(request: PrepareRequest): PreparedCompaction {
  const { session, reason, tokensBefore } = request;
  const path = session.path();
  const window = readWindow(session, path);
  if (reason === "manual") requireCompletedTurn(window, path);
  const pruning = planPruning(window.items);
  const items = pruning ? withPruning(window.items, pruning) : window.items;
  const budget = budgetOf(window, request);
  if (isIdleTalk(window, request)) throw nothingToCompact();
  const plan = planCompaction({
    items,
    path,
    reason,
    budget,
    isSummaryTooLong: summaryTokens(window) > budget.summary * SUMMARY_TOLERANCE,
    isMidRun: request.isMidRun ?? false,
  });
  if (!plan) throw nothingToCompact();
  const isPruned = ({ entryId }: ContextItem) => pruning?.ids.has(entryId) || plan.forcedPruneIds.has(entryId);
  const replaced = [...plan.history, ...plan.turnPrefix].map(({ message }) => message);
  return {
    session,
    leafId: session.leafId,
    path,
    plan,
    budget,
    ...(window.previous && { previous: window.previous }),
    files: collectFiles(replaced, window.previous),
    tokensBefore,
    pruneIds: plan.kept.filter(isPruned).map(({ entryId }) => entryId),
  };
}

/** The same, as hooks get to see it. */
export function describePreparation(
  { plan, previous, files, tokensBefore }: PreparedCompaction,
  settings: CompactionPreparation["settings"],
): CompactionPreparation {
  return {
    messagesToSummarize: plan.history.map(({ message }) => message),
    turnPrefixMessages: plan.turnPrefix.map(({ message }) => message),
    isSplitTurn: plan.turnPrefix.length > 0,
    ...(plan.firstKeptEntryId !== undefined && { firstKeptEntryId: plan.firstKeptEntryId }),
    tokensBefore,
    ...(previous && { previousSummary: previous.summary }),
    fileOps: files,
    settings,
  };
}

function requireCompletedTurn({ items, previous }: CompactionWindow, path: readonly SessionEntry[]): void {
  if (path.at(-1)?.type === "compaction") throw new CompactionError("nothing", "Already compacted");
  const older = new Set(previous && path.slice(0, path.indexOf(previous)).map(({ id }) => id));
  const isAnswer = ({ entryId, message }: ContextItem) =>
    message.role === "assistant" && message.stopReason !== "aborted" && !older.has(entryId);
  if (!items.some(isAnswer)) throw nothingToCompact();
}

function nothingToCompact(): CompactionError {
  return new CompactionError("nothing", "Nothing to compact (session too small)");
}

function budgetOf(window: CompactionWindow, request: PrepareRequest): WindowBudget {
  const { reason, threshold, overheadTokens } = request;
  const ratio = tokenRatio(window, request);
  const estimate = overheadTokens + conversationTokens(window);
  const isRefused = reason === "overflow" && estimate * ratio <= (threshold ?? Number.POSITIVE_INFINITY);
  return windowBudget({
    ...request,
    tokenRatio: ratio,
    ...(isRefused && { refusedTokens: estimate }),
  });
}

/** System prompt and tools fill the window: no summary would change that. */
function isIdleTalk(window: CompactionWindow, { reason, threshold, overheadTokens }: PrepareRequest): boolean {
  if (reason !== "threshold" || threshold === undefined || overheadTokens < threshold) return false;
  return conversationTokens(window) < threshold * LEAST_SHARE;
}

function conversationTokens(window: CompactionWindow): number {
  return window.items.reduce((sum, { tokens }) => sum + tokens, summaryTokens(window));
}

function summaryTokens({ previous }: CompactionWindow): number {
  return estimateTextTokens(previous?.summary ?? "");
}

/** An estimate that is too low would keep too much. */
function tokenRatio(window: CompactionWindow, request: PrepareRequest): number {
  const { items } = window;
  const { measure, overheadTokens, session } = request;
  const measuredId = measure && session.entryIdOf(measure);
  const at = items.findLastIndex(({ entryId }) => entryId === measuredId);
  if (!measure || at < 0) return 1;
  let estimate = overheadTokens + summaryTokens(window);
  for (let before = 0; before < at; before += 1) estimate += items[before]?.tokens ?? 0;
  return estimate > 0 ? Math.max(1, promptTokens(measure.usage) / estimate) : 1;
}
