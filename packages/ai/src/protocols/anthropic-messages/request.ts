import type Anthropic from "@anthropic-ai/sdk";
import type { Model } from "../../model.ts";
import { toObjectSchema } from "../object-schema.ts";
import { toClosedSchema } from "../output-format.ts";
import { convertMessages, type ModelContext, type RequestOptions, type ToolDefinition } from "../protocol.ts";
import { AnthropicConversation, type Turn } from "./conversation.ts";
import { planOutput } from "./thinking.ts";

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
  const { output_config, ...plan } = planOutput(model, options, { mayThink });
  return {
    model: model.id,
    stream: true,
    ...plan,
    ...outputConfig(output_config, options),
    ...(context.systemPrompt?.trim() && { system: [{ type: "text", text: context.systemPrompt, ...mark }] }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice && { tool_choice: toolChoice }),
    messages: markInputs(
      convertMessages(model, context, options, () => new AnthropicConversation(model)),
      mark,
    ),
  };
}

function outputConfig(
  effort: Anthropic.OutputConfig | undefined,
  { outputFormat }: RequestOptions,
): Pick<Anthropic.MessageCreateParamsStreaming, "output_config"> {
  if (!outputFormat) return effort ? { output_config: effort } : {};
  return {
    output_config: { ...effort, format: { type: "json_schema", schema: toClosedSchema(outputFormat.schema) } },
  };
}

function cacheMark(model: Model, options: RequestOptions): CacheMark {
  const retention = options.cacheRetention ?? "short";
  if (retention === "none") return {};
  const isLong = retention === "long" && model.compat?.supportsLongCacheRetention !== false;
  return { cache_control: { type: "ephemeral", ...(isLong && { ttl: "1h" }) } };
}

function toTools(model: Model, definitions: readonly ToolDefinition[], mark: CacheMark): Anthropic.Tool[] {
  const eager = model.compat?.supportsEagerToolInputStreaming === true;
  const tools = definitions.map(
    ({ name, description, parameters }): Anthropic.Tool => ({
      name,
      description,
      input_schema: toObjectSchema(parameters),
      ...(eager && { eager_input_streaming: true }),
    }),
  );
  return model.compat?.supportsCacheControlOnTools === false ? tools : markLast(tools, mark);
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

/**
 * Sets one cache mark at the end of the request, where the next one continues, and one where the previous request had
 * its mark. The server looks up what it has stored at a mark and at the 19 blocks before it, and an answer with many
 * calls and their results can exceed that.
 */
function markInputs({ turns, previousEnd }: AnthropicConversation, mark: CacheMark): Turn[] {
  const last = turns.findLastIndex((turn) => turn.role === "user");
  return turns.map((turn, index) =>
    index === last || index === previousEnd ? { ...turn, content: markLast(turn.content, mark) } : turn,
  );
}

function markLast<T extends object>(items: T[], mark: CacheMark): T[] {
  return items.map((item, index) => (index === items.length - 1 ? { ...item, ...mark } : item));
}
