import type { AgentMessage } from "@pintle/agent";
import { type AssistantMessage, estimateTextTokens, untilAborted } from "@pintle/ai";
import { cancelled } from "../compaction-error.ts";
import type { CompactorParts, ConversationRequest } from "../compaction-types.ts";
import type { ContextItem } from "../size/context-items.ts";
import { messageText } from "./conversation-text.ts";
import { foldRequest, HISTORY_SHARE, type SummarizeRequest } from "./summarize.ts";
import { isCheaperInPlace } from "./summary-price.ts";
import { inPlacePrompt } from "./summary-prompts.ts";
import { cutSummary, readSummary, type SummaryModelAccess } from "./summary-request.ts";

/** How many characters of the first kept message are quoted, so that the model can identify it. */
const QUOTED = 200;
/** Leaves a margin, because the estimate of what came after the newest answer may be too low. */
const SAFETY = 0.995;
/** Tokens for a short summary. Compaction happens when the window is nearly full, so there may be little more. */
const LEAST_SUMMARY = 3_000;

export interface InPlaceRequest extends SummarizeRequest {
  kept: readonly ContextItem[];
  /** Size of the conversation as it is sent. */
  tokensBefore: number;
  /** The newest answer whose usage is valid for the conversation. */
  measure?: AssistantMessage;
}

/**
 * Requests the summary at the end of the conversation itself, whose beginning the provider has cached. Returns
 * undefined if that would not be cheaper, would not fit, or failed; then the text is sent separately.
 */
export async function summarizeInPlace(
  parts: CompactorParts,
  request: InPlaceRequest,
  access: SummaryModelAccess,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (request.history.length + request.turnPrefix.length === 0) return undefined;
  // If anything fails, the text is sent separately. That request reports the failure if it has the same cause.
  const text = await untilAborted(ask(parts, request, access, signal), signal, cancelled).catch(() => undefined);
  if (signal.aborted) throw cancelled();
  return text;
}

async function ask(
  parts: CompactorParts,
  request: InPlaceRequest,
  access: SummaryModelAccess,
  signal: AbortSignal,
): Promise<string | undefined> {
  const asked = await parts.conversationRequest?.();
  const plan = asked && planRequest(asked, request, access);
  if (!plan || signal.aborted) return undefined;
  await access.requestSetup(asked.model); // throws if the budget does not allow it
  if (signal.aborted) return undefined;
  const answer = await readSummary(access, asked.model, { ...plan, signal });
  return "text" in answer ? cutSummary(answer.text, plan.maxTokens) : undefined;
}

function planRequest(asked: ConversationRequest, request: InPlaceRequest, access: SummaryModelAccess) {
  const { model, context, options } = asked;
  const { history, turnPrefix, measure, tokensBefore, reserveTokens } = request;
  const isOwn = access.models[0]?.id === model.id && access.models[0].provider === model.provider;
  if (!isOwn || measure?.model !== model.id || measure.provider !== model.provider) return undefined;
  const { texts, ...wanted } = foldRequest([...history, ...turnPrefix], HISTORY_SHARE, reserveTokens, [model]);
  const prompt = inPlacePrompt({
    ...request,
    isSplitTurn: turnPrefix.length > 0,
    firstKept: quote(request.kept[0]?.message),
  });
  const tokens = tokensBefore + estimateTextTokens(prompt);
  const room = model.contextWindow > 0 ? Math.floor(model.contextWindow * SAFETY) - tokens : wanted.maxTokens;
  const maxTokens = Math.min(room, wanted.maxTokens);
  if (maxTokens < Math.min(LEAST_SUMMARY, wanted.maxTokens)) return undefined;
  const text = texts.reduce((sum, part) => sum + estimateTextTokens(part), 0);
  const thinks = (options.thinkingLevel ?? "off") !== "off";
  if (!isCheaperInPlace({ conversation: tokens, usage: measure.usage, text, thinks }, model)) return undefined;
  const instruction = { role: "user" as const, content: prompt, timestamp: access.clock.now() };
  return { context: { ...context, messages: [...context.messages, instruction] }, options, maxTokens };
}

function quote(message: AgentMessage | undefined): string | undefined {
  const text = message && messageText(message).trim();
  return text ? text.slice(0, QUOTED).toWellFormed() : undefined;
}
