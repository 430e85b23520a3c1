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
  /** The answer whose usage states the size of the conversation. */
  measure?: AssistantMessage;
  overheadTokens: number;
  /** True during a run, when the model is working on the newest messages. */
  isMidRun?: boolean;
}

/** If the conversation's share of the threshold is smaller, something else fills the window. */
const LEAST_SHARE = 0.05;

/** A summary up to this many times longer than requested is kept, because rewriting it would free little. */
const SUMMARY_TOLERANCE = 2;

/** The planned compaction, fixed before the first await. */
export interface PreparedCompaction {
  session: CompactionSession;
  leafId: string | null;
  path: readonly SessionEntry[];
  plan: CompactionPlan;
  budget: WindowBudget;
  previous?: EntryOf<"compaction">;
  files: FileSets;
  tokensBefore: number;
  /** Results in the kept part that are pruned along with the summarized part. */
  pruneIds: string[];
}

/** Throws if there is nothing to compact, or if no compaction would make the conversation fit. */
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

/** Describes the plan for hooks. */
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

/** Returns whether the system prompt and the tools fill the window, so that no summary would help. */
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

/** Corrects the estimate. If it were too low, too much would be kept. */
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
