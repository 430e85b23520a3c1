import type { Model } from "../../model.ts";
import { toObjectSchema } from "../object-schema.ts";
import { type ResolvedCompat, resolveCompat } from "../openai-compat.ts";
import { toStrictSchema } from "../output-format.ts";
import type { ModelContext, PreparedRequest, RequestOptions, ToolChoice, ToolDefinition } from "../protocol.ts";
import { bearerHeaders } from "../request-parts.ts";
import { toWireMessages } from "./messages.ts";
import { thinkingFields } from "./thinking.ts";
import type { CacheControl, WireAssistant, WireBody, WireMessage, WireTool } from "./wire.ts";

/**
 * Requested if the caller sets no limit. Server defaults start at a thousand tokens, and requesting a model's maximum
 * counts against rate limits and credit.
 */
const USUAL_MAX_TOKENS = 32_000;
const MAX_CACHE_KEY_CHARS = 64;

export function toRequest(model: Model, context: ModelContext, options: RequestOptions): PreparedRequest {
  const compat = resolveCompat(model);
  // A mark changes the form of the message that has it, and moves; the text stays the same.
  const messages = toWireMessages(model, context, compat, options);
  const body = toBody(model, context, options, messages);
  const isSystem = messages[0]?.role === "system" || messages[0]?.role === "developer";
  return {
    url: `${model.baseUrl.replace(/\/+$/, "")}/chat/completions`,
    headers: bearerHeaders(model, options),
    body,
    list: "messages",
    prefix: {
      tools: body.tools ?? [],
      system: isSystem ? messages[0] : undefined,
      messages: isSystem ? messages.slice(1) : messages,
    },
  };
}

function toBody(model: Model, context: ModelContext, options: RequestOptions, messages: WireMessage[]): WireBody {
  const compat = resolveCompat(model);
  const mark = cacheMark(options, compat);
  const tools = toTools(context.tools ?? [], compat, mark);
  return {
    model: model.id,
    messages: mark ? markMessages(messages, mark) : messages,
    stream: true,
    ...(compat.supportsUsageInStreaming && { stream_options: { include_usage: true } }),
    ...(compat.supportsStore && { store: false }),
    ...maxTokens(model, options, compat),
    ...(tools.length > 0 && { tools, ...toolChoice(options.toolChoice, compat) }),
    ...responseFormat(options, compat),
    ...thinkingFields(model, options, compat),
    ...cacheFields(options, compat),
    ...(compat.openRouterRouting && { provider: compat.openRouterRouting }),
    ...(compat.vercelGatewayRouting && { providerOptions: { gateway: compat.vercelGatewayRouting } }),
    ...compat.extraBody,
  };
}

function maxTokens(model: Model, options: RequestOptions, { maxTokensField }: ResolvedCompat): Partial<WireBody> {
  const wanted = options.maxTokens ?? USUAL_MAX_TOKENS;
  const limit = model.maxTokens > 0 ? Math.min(wanted, model.maxTokens) : wanted;
  return { [maxTokensField]: limit };
}

function toTools(tools: readonly ToolDefinition[], compat: ResolvedCompat, mark: CacheControl | undefined): WireTool[] {
  return tools.map(({ name, description, parameters }, index) => ({
    type: "function",
    function: {
      name,
      description,
      parameters: toObjectSchema(parameters),
      ...(compat.supportsStrictMode && { strict: false }),
    },
    ...(mark && index === tools.length - 1 && { cache_control: mark }),
  }));
}

/** Servers without a strict mode get the schema unchanged. */
function responseFormat({ outputFormat }: RequestOptions, compat: ResolvedCompat): Partial<WireBody> {
  if (!outputFormat) return {};
  const { name, schema } = outputFormat;
  if (!compat.supportsStrictMode) return { response_format: { type: "json_schema", json_schema: { name, schema } } };
  const strictSchema = toStrictSchema(schema);
  const format = strictSchema ? { schema: strictSchema, strict: true } : { schema, strict: false };
  return { response_format: { type: "json_schema", json_schema: { name, ...format } } };
}

function toolChoice(choice: ToolChoice | undefined, compat: ResolvedCompat): Partial<WireBody> {
  if (choice === undefined || !compat.supportsToolChoice) return {};
  if (typeof choice === "string") return { tool_choice: choice };
  return { tool_choice: { type: "function", function: { name: choice.name } } };
}

function cacheFields(options: RequestOptions, compat: ResolvedCompat): Partial<WireBody> {
  const retention = options.cacheRetention ?? "short";
  if (retention === "none" || compat.cacheControlFormat) return {};
  return {
    ...(compat.supportsPromptCacheKey &&
      options.sessionId && { prompt_cache_key: options.sessionId.slice(0, MAX_CACHE_KEY_CHARS) }),
    ...(retention === "long" && compat.supportsLongCacheRetention && { prompt_cache_retention: "24h" as const }),
  };
}

/** Anthropic's cache mark, which gateways to its models accept inside this API. */
function cacheMark(options: RequestOptions, compat: ResolvedCompat): CacheControl | undefined {
  const retention = options.cacheRetention ?? "short";
  if (compat.cacheControlFormat !== "anthropic" || retention === "none") return undefined;
  return retention === "long" && compat.supportsLongCacheRetention
    ? { type: "ephemeral", ttl: "1h" }
    : { type: "ephemeral" };
}

/**
 * Marks the system prompt, the last user or tool text, and the one that was last in the previous request: the prefix up
 * to a mark is cached, and found again only near a mark.
 */
function markMessages(messages: readonly WireMessage[], mark: CacheControl): WireMessage[] {
  const marked = [...messages];
  const [first] = messages;
  if (first?.role === "system" || first?.role === "developer") marked[0] = withMark(first, mark) ?? first;
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant");
  for (const end of [messages.length, Math.max(0, lastAnswer)]) {
    for (let index = end - 1; index >= 0; index -= 1) {
      const message = messages[index]!;
      const copy = message.role === "user" || message.role === "tool" ? withMark(message, mark) : undefined;
      if (!copy) continue;
      marked[index] = copy;
      break;
    }
  }
  return marked;
}

/** Returns a copy with the mark on its last text, or undefined if the message has no text to mark. */
function withMark(message: Exclude<WireMessage, WireAssistant>, mark: CacheControl): WireMessage | undefined {
  const { content } = message;
  const parts = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const last = parts.findLastIndex((part) => part.type === "text");
  if (last === -1) return undefined;
  const marked = parts.map((part, index) => (index === last ? { ...part, cache_control: mark } : part));
  return { ...message, content: marked } as WireMessage;
}
