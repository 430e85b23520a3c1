import type { MessageBuilder } from "../message-builder.ts";
import type { ProviderMessage } from "../messages.ts";
import type { Model } from "../model.ts";
import type { Conversion, RequestMemory } from "../request-memory.ts";
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

/** The input of the model. Tool calls and results are already paired, other roles already converted. */
export interface ModelContext {
  systemPrompt?: string;
  messages: readonly ProviderMessage[];
  /** Sent in this order. The caller keeps the order stable, because providers cache the list. */
  tools?: readonly ToolDefinition[];
}

export interface OutputFormat {
  name: string;
  /** JSON Schema of an object. */
  schema: object;
}

export type ToolChoice = "auto" | "none" | "required" | { name: string };
export type CacheRetention = "none" | "short" | "long";

/** The options of one request: everything a protocol may use. */
export interface RequestOptions {
  apiKey?: string;
  /** Headers of the provider and the model, with secrets resolved. */
  headers?: Readonly<Record<string, string>>;
  thinkingLevel?: ThinkingLevel;
  thinkingBudgets?: Partial<Record<ThinkingLevel, number>>;
  toolChoice?: ToolChoice;
  /** The answer must be JSON that matches the schema, if the API has such a format. */
  outputFormat?: OutputFormat;
  maxTokens?: number;
  cacheRetention?: CacheRetention;
  /** Groups the requests of one conversation for the provider's cache. */
  sessionId?: string;
  /** Shared by the requests of one conversation, one after the other. Its messages must never change. */
  memory?: RequestMemory;
}

export interface PreparedRequest extends ProviderRequest {
  /** Splits the body into the parts that the provider's cache distinguishes. */
  prefix: RequestPrefix;
}

/** Converts the messages of a request, from the memory of the conversation if there is one. */
export function convertMessages<C extends Conversion>(
  model: Model,
  { messages }: ModelContext,
  { memory }: RequestOptions,
  create: () => C,
): C {
  if (memory) return memory.convert(model, messages, create);
  const conversion = create();
  for (const message of messages) conversion.add(message);
  return conversion;
}

/** Turns the events of one response into blocks. Throws ProviderError for an error inside the stream. */
export interface Decoder {
  event(event: ServerEvent): void;
  /** Called at the end of the body. Throws if the terminal event is missing. */
  end(): void;
  /** True when the answer is complete and only statistics may follow, so losing the connection is not an error. */
  readonly isComplete: boolean;
}

/** A wire API over HTTP: body out, server-sent events in. */
export interface HttpProtocol {
  request(model: Model, context: ModelContext, options: RequestOptions): PreparedRequest;
  decoder(model: Model, out: MessageBuilder): Decoder;
}
