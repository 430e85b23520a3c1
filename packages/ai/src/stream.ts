import { type AnswerLimits, limitTime, maxAnswerChars } from "./answer-limits.ts";
import type { ProviderPackage } from "./bridge/language-model.ts";
import { ABORTED_TEXT, ProviderError } from "./errors.ts";
import type { ForeignStream } from "./foreign/foreign-stream.ts";
import { onAbort } from "./foundation/abort.ts";
import { errorText } from "./foundation/error-text.ts";
import { MessageBuilder } from "./message-builder.ts";
import type { Model } from "./model.ts";
import { offlineModel } from "./offline/offline-info.ts";
import type { HttpProtocol, ModelContext, RequestOptions } from "./protocols/protocol.ts";
import type { ProviderApi } from "./providers/apis.ts";
import { contextPrefix, type RequestObserver } from "./request-prefix.ts";
import { AssistantEventStream } from "./stream-events.ts";
import type { Fetch } from "./transport/http.ts";

export interface StreamOptions extends RequestOptions, AnswerLimits {
  signal?: AbortSignal;
  /** Ends the stream as stalled if the server sends nothing for this long; 0 disables the watchdog. */
  idleTimeoutMs?: number;
  fetch?: Fetch;
  /** Where the key came from, for errors that concern it. */
  keySource?: string;
  /** Makes the calls of models with the API `ai-sdk`. */
  providerPackage?: ProviderPackage;
  /** Replaces the built-in call, whatever the API of the model. */
  foreign?: ForeignStream;
  now?: () => number;
  /** Called for each request while it is in flight. Must not change its arguments. */
  onRequest?: RequestObserver;
}

export type StreamModel = (model: Model, context: ModelContext, options?: StreamOptions) => AssistantEventStream;

/** Where the events of one answer go. */
export interface AnswerTarget {
  stream: AssistantEventStream;
  out: MessageBuilder;
  /** Aborted to close the socket. */
  connection: AbortController;
}

/** Loaded with the first request that needs them, so that no provider delays `ready`. */
const httpProtocols: Record<Exclude<ProviderApi, "ai-sdk">, () => Promise<HttpProtocol>> = {
  "anthropic-messages": async () =>
    (await import("./protocols/anthropic-messages/anthropic-messages.ts")).anthropicMessages,
  "openai-completions": async () =>
    (await import("./protocols/openai-completions/openai-completions.ts")).openaiCompletions,
  "openai-responses": async () => (await import("./protocols/openai-responses/openai-responses.ts")).openaiResponses,
  "google-generative-ai": async () =>
    (await import("./protocols/google-generative-ai/google-generative-ai.ts")).googleGenerativeAi,
};

/** The length of the shortest key to mask. Local servers may use shorter keys than vendors do. */
const SHORTEST_SECRET = 6;

/**
 * The only way to call a model. Never throws: every failure becomes the stream's one terminal event. After an abort
 * that event is pushed immediately, whether or not the provider reacts.
 */
export const streamModel: StreamModel = (model, context, options = {}) => {
  const stream = new AssistantEventStream();
  const maxChars = maxAnswerChars(model, options);
  const out = new MessageBuilder(stream, model, { now: options.now ?? Date.now, context, maxChars });
  const { signal } = options;
  if (signal?.aborted) {
    out.abort();
    return stream;
  }
  const connection = new AbortController();
  const forget = onAbort(signal, () => {
    out.abort();
    connection.abort(new Error(ABORTED_TEXT));
  });
  const stopTimer = limitTime(options, (error) => {
    out.fail(error);
    connection.abort(error);
  });
  stream.onCancel(() => connection.abort(new Error(ABORTED_TEXT)));

  answer(model, context, options, { stream, out, connection })
    .catch(async (error: unknown) => out.fail(await toProviderError(error, model, options)))
    .finally(() => {
      stopTimer();
      forget();
    });
  return stream;
};

async function answer(
  model: Model,
  context: ModelContext,
  options: StreamOptions,
  target: AnswerTarget,
): Promise<void> {
  if (options.foreign) {
    const { answerOverForeign } = await import("./foreign/foreign-answer.ts");
    options.onRequest?.(contextPrefix(context));
    return answerOverForeign(options.foreign, { model, context, options }, target);
  }
  if (model.api === offlineModel.api) {
    const { answerOffline } = await import("./offline/offline-model.ts");
    return answerOffline(context, options, target.out);
  }
  if (model.api === "ai-sdk") {
    const { answerOverBridge } = await import("./bridge/bridge-answer.ts");
    options.onRequest?.(contextPrefix(context));
    return answerOverBridge({ model, context, options }, target);
  }
  if (!isHttpApi(model.api))
    throw new ProviderError("invalid_request", `Unknown API "${model.api}" of model ${model.provider}/${model.id}`);
  const load = httpProtocols[model.api];
  const [protocol, { answerOverHttp }] = await Promise.all([load(), import("./protocols/http-answer.ts")]);
  return answerOverHttp(protocol, { model, context, options }, target);
}

function isHttpApi(api: string): api is keyof typeof httpProtocols {
  return Object.hasOwn(httpProtocols, api);
}

async function toProviderError(error: unknown, model: Model, options: StreamOptions): Promise<ProviderError> {
  const known =
    error instanceof ProviderError ? error : new ProviderError("protocol", errorText(error), { cause: error });
  const { createRedactor } = await import("./secrets/index.ts");
  const secrets = [
    options.apiKey,
    // Any header may contain a credential, and masking a harmless one costs little.
    ...Object.values({ ...model.headers, ...options.headers }),
    ...textsIn(options.providerPackage?.options),
  ];
  const message = createRedactor(secrets, { mask: "<secret>", shortest: SHORTEST_SECRET }).text(known.message);
  const blame = known.kind === "auth" && options.keySource ? ` (key from ${options.keySource})` : "";
  return message + blame === known.message
    ? known
    : new ProviderError(known.kind, message + blame, { ...known.failure });
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
