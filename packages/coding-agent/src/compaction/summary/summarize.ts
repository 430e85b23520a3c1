import { estimateTextTokens, type Model, onAbort } from "@pintle/ai";
import type { ContextItem } from "../size/context-items.ts";
import { usableReserve } from "../size/threshold.ts";
import { messageText } from "./conversation-text.ts";
import { withoutFileBlocks } from "./file-operations.ts";
import { type AskForSummary, type FoldRequest, foldSummary } from "./fold-summary.ts";
import { SUMMARY_SYSTEM_PROMPT, TURN_PREFIX_HEADING } from "./summary-prompts.ts";
import { requestSummary, type SummaryModelAccess } from "./summary-request.ts";

export const HISTORY_SHARE = 0.8;
const TURN_PREFIX_SHARE = 0.5;
/** Assumed window of a model that does not state one. A smaller window shows up as an overflow. */
const ASSUMED_WINDOW = 128_000;
/** Leaves a margin, because the token estimate may be too low. */
const SAFETY = 0.9;
const LEAST_INPUT_TOKENS = 1_000;

export interface SummarizeRequest {
  history: readonly ContextItem[];
  turnPrefix: readonly ContextItem[];
  previousSummary?: string;
  additionalContext?: readonly string[];
  instructions?: string;
  focus?: string;
  reserveTokens: number;
}

/** Summarizes what a compaction replaces. The beginning of a split turn is summarized separately, in parallel. */
export async function summarizeConversation(
  request: SummarizeRequest,
  access: SummaryModelAccess,
  signal: AbortSignal,
): Promise<string> {
  const { history, turnPrefix, additionalContext, focus } = request;
  const previousSummary = request.previousSummary && withoutFileBlocks(request.previousSummary);
  const shared = { ...(additionalContext && { additionalContext }), ...(focus !== undefined && { focus }) };
  const parts = await together(signal, [
    async (both) => {
      // Nothing new to add: reuse the summary as it is, unless it takes too much space.
      const isShort = estimateTextTokens(previousSummary ?? "") <= request.reserveTokens;
      if (history.length === 0 && isShort) return previousSummary ?? "";
      const { instructions } = request;
      const task = { kind: "history" as const, ...shared, ...(instructions !== undefined && { instructions }) };
      const fold = foldRequest(history, HISTORY_SHARE, request.reserveTokens, access.models);
      return foldSummary({ ...task, ...fold, ...(previousSummary && { previousSummary }) }, asker(access, both));
    },
    async (both) => {
      if (turnPrefix.length === 0) return "";
      const fold = foldRequest(turnPrefix, TURN_PREFIX_SHARE, request.reserveTokens, access.models);
      const text = await foldSummary({ kind: "turnPrefix", ...shared, ...fold }, asker(access, both));
      return `${TURN_PREFIX_HEADING}\n\n${text}`;
    },
  ]);
  return parts.filter((part) => part !== "").join("\n\n");
}

export function asker(access: SummaryModelAccess, signal: AbortSignal): AskForSummary {
  return (prompt) => requestSummary(access, prompt, signal);
}

/** Token limits of a request and its answer, for the smallest of the candidate models. */
export function foldRequest(
  items: readonly ContextItem[],
  share: number,
  reserveTokens: number,
  models: readonly Model[],
): Pick<FoldRequest, "texts" | "maxTokens" | "inputTokens"> {
  const windows = models.map((model) => model.contextWindow).filter((window) => window > 0);
  const window = windows.length > 0 ? Math.min(...windows) : ASSUMED_WINDOW;
  const reserve = Math.min(reserveTokens, usableReserve(window, reserveTokens));
  const maxTokens = Math.max(1, Math.floor(share * reserve));
  const input = Math.floor((window - maxTokens) * SAFETY) - estimateTextTokens(SUMMARY_SYSTEM_PROMPT);
  return {
    texts: items.map(({ message }) => messageText(message)).filter((text) => text !== ""),
    maxTokens,
    inputTokens: Math.max(input, LEAST_INPUT_TOKENS),
  };
}

/** Runs the jobs in parallel. If one fails, stops the others, because their answers would not be used. */
async function together(
  signal: AbortSignal,
  jobs: readonly ((signal: AbortSignal) => Promise<string>)[],
): Promise<string[]> {
  const controller = new AbortController();
  const forget = onAbort(signal, () => controller.abort());
  try {
    const running = jobs.map((job) => job(controller.signal));
    return await Promise.all(running);
  } finally {
    controller.abort();
    forget();
  }
}
