import type { MessageBuilder } from "../message-builder.ts";
import type { ProviderMessage } from "../messages.ts";
import type { Model } from "../model.ts";
import type { RequestPrefix } from "../request-prefix.ts";
import type { ThinkingLevel } from "../thinking.ts";
import type { ProviderRequest } from "../transport/http.ts";
import type { ServerEvent } from "../transport/sse.ts";

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: object;
}

/** What the model is given. Tool calls and results are already paired, other roles already converted. */
export interface ModelContext {
  systemPrompt?: string;
  messages: readonly ProviderMessage[];
  /** Sent in this order: whoever makes the list keeps it stable, since providers cache it. */
  tools?: readonly ToolDefinition[];
}

export type ToolChoice = "auto" | "none" | "required" | { name: string };
export type CacheRetention = "none" | "short" | "long";

/** How one request is made; everything a protocol may look at. */
export interface RequestOptions {
  apiKey?: string;
  /** Headers of the provider and the model, secrets resolved. */
  headers?: Readonly<Record<string, string>>;
  thinkingLevel?: ThinkingLevel;
  thinkingBudgets?: Partial<Record<ThinkingLevel, number>>;
  toolChoice?: ToolChoice;
  maxTokens?: number;
  cacheRetention?: CacheRetention;
  /** Groups requests of one conversation for the provider's cache. */
  sessionId?: string;
}

export interface PreparedRequest extends ProviderRequest {
  /** The parts of the body as the provider's cache reads them. */
  prefix: RequestPrefix;
}

/** Turns the events of one response into blocks. Throws ProviderError for an error inside the stream. */
export interface Decoder {
  event(event: ServerEvent): void;
  /** The body is over. Throws when the terminal event is missing. */
  end(): void;
  /** The answer is complete; only statistics may still follow, so a lost connection is no error any more. */
  readonly isComplete: boolean;
}

/** A wire API over HTTP: body out, server-sent events in. */
export interface HttpProtocol {
  request(model: Model, context: ModelContext, options: RequestOptions): PreparedRequest;
  decoder(model: Model, out: MessageBuilder): Decoder;
}
