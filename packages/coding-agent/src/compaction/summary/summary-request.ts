import type { Clock } from "@pintle/agent";
import {
  type AssistantMessage,
  isContextOverflowText,
  isWorthRetrying,
  type Model,
  type ModelContext,
  type ProviderFailure,
  type StreamModel,
  type StreamOptions,
  textsOf,
  type Usage,
  untilAborted,
} from "@pintle/ai";
import { MissingKeyError } from "../../config/models/model-registry.ts";
import { CompactionError, cancelled, reasonOf, summaryFailed } from "../compaction-error.ts";
import type { RequestSetup } from "../compaction-types.ts";
import { SUMMARY_SYSTEM_PROMPT } from "./summary-prompts.ts";

/** If the wait is longer, the request fails, because the caller may have another model. */
const PATIENCE_MS = 30_000;
/** Bounds the answer, because a server may ignore the requested limit. */
const MAX_CHARACTERS_PER_TOKEN = 8;

export interface SummaryModelAccess {
  stream: StreamModel;
  clock: Clock;
  /** At least one, the preferred one first. */
  models: readonly Model[];
  requestSetup(model: Model): Promise<RequestSetup>;
  retry: RetrySettings;
  /** Called around the wait before a failed request is repeated; the end once, after the last of them. */
  onRetry?: {
    scheduled(retry: { attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }): void;
    started(): void;
    finished(): void;
  };
  /** Receives the usage of every answer, including rejected ones. */
  onUsage(usage: Usage, model: { provider: string; id: string }): void;
}

/** The request itself does not fit the model's window. */
export class SummaryOverflow extends Error {}

interface SummaryRequest {
  context: ModelContext;
  options: StreamOptions;
  maxTokens: number;
  signal: AbortSignal;
}

type Answer = { text: string } | { failure: ProviderFailure; reason: string };

/** Requests one summary, without thinking and tools. */
export async function requestSummary(
  access: SummaryModelAccess,
  prompt: { text: string; maxTokens: number },
  signal: AbortSignal,
): Promise<string> {
  let problem: Error | undefined;
  for (const [index, model] of access.models.entries()) {
    const isLast = index === access.models.length - 1;
    try {
      return await askModel(access, model, prompt, {
        signal,
        patienceMs: isLast ? Number.POSITIVE_INFINITY : PATIENCE_MS,
      });
    } catch (error) {
      if (signal.aborted) throw cancelled();
      if (error instanceof SummaryOverflow) throw error;
      problem = toCompactionError(error, model);
    }
  }
  throw problem ?? new CompactionError("no_model", "No model selected");
}

async function askModel(
  access: SummaryModelAccess,
  model: Model,
  { text, maxTokens }: { text: string; maxTokens: number },
  { signal, patienceMs }: { signal: AbortSignal; patienceMs: number },
): Promise<string> {
  let retries = 0;
  try {
    for (;;) {
      const setup = await untilAborted(access.requestSetup(model), signal, cancelled);
      if (signal.aborted) throw cancelled();
      if (retries > 0) access.onRetry?.started();
      const answer = await untilAborted(
        readAnswer(access, model, { text, maxTokens, setup, signal }),
        signal,
        cancelled,
      );
      if ("text" in answer) return cutSummary(answer.text, maxTokens);
      const { failure, reason } = answer;
      if (failure.kind === "aborted") throw cancelled();
      if (failure.kind === "overflow" || isContextOverflowText(reason)) throw new SummaryOverflow(reason);
      const delayMs = retryDelay(failure, retries + 1, access.retry);
      if (delayMs === undefined || delayMs > patienceMs) throw summaryFailed(reason);
      retries += 1;
      const { maxRetries: maxAttempts } = access.retry;
      access.onRetry?.scheduled({ attempt: retries, maxAttempts, delayMs, errorMessage: reason });
      await access.clock.delay(delayMs, signal);
      if (signal.aborted) throw cancelled();
    }
  } finally {
    if (retries > 0) access.onRetry?.finished();
  }
}

/** A separate request. It is not repeated, so the provider need not cache it. */
function readAnswer(
  access: SummaryModelAccess,
  model: Model,
  { text, maxTokens, setup, signal }: { text: string; maxTokens: number; setup: RequestSetup; signal: AbortSignal },
): Promise<Answer> {
  const context = {
    systemPrompt: SUMMARY_SYSTEM_PROMPT,
    messages: [{ role: "user" as const, content: text, timestamp: access.clock.now() }],
  };
  const options = { ...setup, thinkingLevel: "off" as const, cacheRetention: "none" as const };
  return readSummary(access, model, { context, options, maxTokens, signal });
}

export async function readSummary(
  { stream, onUsage }: SummaryModelAccess,
  model: Model,
  { context, options, maxTokens, signal }: SummaryRequest,
): Promise<Answer> {
  const limit = model.maxTokens > 0 ? Math.min(maxTokens, model.maxTokens) : maxTokens;
  for await (const event of stream(model, context, { ...options, signal, maxTokens: limit })) {
    if (event.type === "error") {
      onUsage(event.error.usage, nameOf(event.error));
      return { failure: event.failure, reason: event.error.errorMessage ?? event.failure.kind };
    }
    if (event.type !== "done") continue;
    onUsage(event.message.usage, nameOf(event.message));
    // Text next to a call describes the call.
    const isCall = event.message.content.some(({ type }) => type === "toolCall");
    const summary = isCall ? "" : textOf(event.message);
    return summary === "" ? { failure: { kind: "protocol" }, reason: "the model returned no text" } : { text: summary };
  }
  return { failure: { kind: "truncated" }, reason: "the stream ended before completion" };
}

export function cutSummary(text: string, maxTokens: number): string {
  return text.slice(0, maxTokens * MAX_CHARACTERS_PER_TOKEN).toWellFormed();
}

function textOf({ content }: AssistantMessage): string {
  return textsOf(content).join("\n").trim();
}

function toCompactionError(error: unknown, { provider }: Model): CompactionError {
  if (error instanceof CompactionError) return error;
  if (error instanceof MissingKeyError) return new CompactionError("no_credentials", `No API key for ${provider}`);
  return summaryFailed(reasonOf(error));
}

function nameOf({ provider, model }: { provider: string; model: string }): { provider: string; id: string } {
  return { provider, id: model };
}

const LONGEST_BACKOFF_MS = 30_000;

interface RetrySettings {
  enabled: boolean;
  maxRetries: number;
  baseDelayMs: number;
  maxDelayMs: number;
}

/**
 * Returns how long to wait before repeating a failed call; `attempt` counts repetitions from 1. Returns undefined if it
 * is not repeated.
 */
export function retryDelay(failure: ProviderFailure, attempt: number, settings: RetrySettings): number | undefined {
  const { retryAfterMs } = failure;
  if (!settings.enabled || attempt > settings.maxRetries) return undefined;
  if (retryAfterMs !== undefined && retryAfterMs > settings.maxDelayMs) return undefined;
  if (!isWorthRetrying(failure)) return undefined;
  return Math.max(Math.min(settings.baseDelayMs * 2 ** (attempt - 1), LONGEST_BACKOFF_MS), retryAfterMs ?? 0);
}
