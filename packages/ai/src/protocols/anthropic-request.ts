import type Anthropic from "@anthropic-ai/sdk";
import type { Model } from "../model.ts";
import { type Turn, toAnthropicMessages } from "./anthropic-conversation.ts";
import { planOutput } from "./anthropic-thinking.ts";
import type { ModelContext, RequestOptions, ToolDefinition } from "./protocol.ts";

type CacheMark = { cache_control?: Anthropic.CacheControlEphemeral };

export function toAnthropicBody(
  model: Model,
  context: ModelContext,
  options: RequestOptions,
): Anthropic.MessageCreateParamsStreaming {
  const mark = cacheMark(model, options);
  const tools = toTools(model, context.tools ?? [], mark);
  const toolChoice = toToolChoice(model, tools, options);
  // The API refuses a forced tool together with a thinking budget.
  const mayThink = toolChoice?.type !== "any" && toolChoice?.type !== "tool";
  return {
    model: model.id,
    stream: true,
    ...planOutput(model, options, { mayThink }),
    ...(context.systemPrompt?.trim() && { system: [{ type: "text", text: context.systemPrompt, ...mark }] }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice && { tool_choice: toolChoice }),
    messages: markLastInput(toAnthropicMessages(context.messages, model), mark),
  };
}

function cacheMark(model: Model, options: RequestOptions): CacheMark {
  const retention = options.cacheRetention ?? "short";
  if (retention === "none") return {};
  const isLong = retention === "long" && model.compat?.supportsLongCacheRetention !== false;
  return { cache_control: { type: "ephemeral", ...(isLong && { ttl: "1h" }) } };
}

/** Sorted, so that the order in which extensions register their tools does not spoil the provider's cache. */
function toTools(model: Model, definitions: readonly ToolDefinition[], mark: CacheMark): Anthropic.Tool[] {
  const eager = model.compat?.supportsEagerToolInputStreaming === true;
  const tools = definitions.map(
    ({ name, description, parameters }): Anthropic.Tool => ({
      name,
      description,
      input_schema: toInputSchema(parameters),
      ...(eager && { eager_input_streaming: true }),
    }),
  );
  tools.sort((a, b) => (a.name < b.name ? -1 : 1));
  return model.compat?.supportsCacheControlOnTools === false ? tools : markLast(tools, mark);
}

interface ObjectSchema {
  type?: unknown;
  properties?: Record<string, unknown>;
  required?: string[];
  anyOf?: ObjectSchema[];
  oneOf?: ObjectSchema[];
  allOf?: ObjectSchema[];
}

/**
 * The API takes only objects, without alternatives at the top. A host's union becomes one object with the properties of
 * all its variants; the arguments are checked against the real schema before a tool runs.
 */
function toInputSchema(parameters: object): Anthropic.Tool.InputSchema {
  const { anyOf = [], oneOf = [], allOf = [], ...schema } = parameters as ObjectSchema;
  const variants = [...allOf, ...anyOf, ...oneOf];
  const properties = Object.assign({}, ...variants.map((variant) => variant.properties), schema.properties);
  const required = [...new Set([schema, ...allOf].flatMap((part) => part.required ?? []))];
  return { ...schema, type: "object", properties, ...(required.length > 0 && { required }) };
}

function toToolChoice(
  model: Model,
  tools: readonly Anthropic.Tool[],
  { toolChoice }: RequestOptions,
): Anthropic.ToolChoice | undefined {
  if (tools.length === 0 || model.compat?.supportsToolChoice === false) return undefined;
  if (toolChoice === "none") return { type: "none" };
  if (toolChoice === "required") return { type: "any" };
  if (typeof toolChoice !== "object" || !tools.some((tool) => tool.name === toolChoice.name)) return undefined;
  return { type: "tool", name: toolChoice.name };
}

/** The mark goes where the next request will continue: behind everything that is already known. */
function markLastInput(turns: Turn[], mark: CacheMark): Turn[] {
  const last = turns.findLastIndex((turn) => turn.role === "user");
  return turns.map((turn, index) => (index === last ? { ...turn, content: markLast(turn.content, mark) } : turn));
}

function markLast<T extends object>(items: T[], mark: CacheMark): T[] {
  return items.map((item, index) => (index === items.length - 1 ? { ...item, ...mark } : item));
}
