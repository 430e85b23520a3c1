import type OpenAI from "openai";
import type { Model } from "../../model.ts";
import { clampThinkingLevel } from "../../thinking.ts";
import { toObjectSchema } from "../object-schema.ts";
import { type ResolvedCompat, resolveCompat } from "../openai-compat.ts";
import { toStrictSchema } from "../output-format.ts";
import {
  convertMessages,
  type ModelContext,
  type PreparedRequest,
  type RequestOptions,
  type ToolDefinition,
} from "../protocol.ts";
import { bearerHeaders } from "../request-parts.ts";
import { ResponsesInput } from "./input.ts";

type Body = OpenAI.Responses.ResponseCreateParamsStreaming;
type Tool = OpenAI.Responses.FunctionTool;
/** Servers that do not know the field refuse it. */
type WireTool = Omit<Tool, "strict"> & Partial<Pick<Tool, "strict">>;
type WireBody = Omit<Body, "tools"> & { tools?: WireTool[] };

/** The API refuses lower values. */
const SMALLEST_OUTPUT = 16;
const MAX_CACHE_KEY_CHARS = 64;

export function toRequest(model: Model, context: ModelContext, options: RequestOptions): PreparedRequest {
  const body = toBody(model, context, options);
  const { tools = [], instructions: system, input } = body;
  return {
    url: `${model.baseUrl.replace(/\/+$/, "")}/responses`,
    headers: bearerHeaders(model, options),
    body,
    list: "input",
    prefix: { tools, system, messages: Array.isArray(input) ? input : [input] },
  };
}

function toBody(model: Model, context: ModelContext, options: RequestOptions): WireBody {
  const compat = resolveCompat(model);
  const tools = toTools(context.tools ?? [], model);
  return {
    model: model.id,
    stream: true,
    // The server stores nothing; the reasoning it needs is sent with the conversation.
    ...(model.compat?.supportsStore !== false && { store: false }),
    ...(context.systemPrompt?.trim() && { instructions: context.systemPrompt }),
    input: [...convertMessages(model, context, options, () => new ResponsesInput(model)).items],
    ...(tools.length > 0 && { tools, ...toolChoice(tools, options, compat) }),
    ...maxTokens(model, options),
    ...textFormat(options, model),
    ...thinking(model, options, compat),
    ...cacheFields(options, compat),
    ...compat.extraBody,
  };
}

/** If the caller sets no limit, the model's own limit applies. */
function maxTokens(model: Model, { maxTokens: wanted }: RequestOptions): Partial<WireBody> {
  if (wanted === undefined) return {};
  const limit = model.maxTokens > 0 ? Math.min(wanted, model.maxTokens) : wanted;
  return { max_output_tokens: Math.max(SMALLEST_OUTPUT, limit) };
}

function toTools(definitions: readonly ToolDefinition[], model: Model): WireTool[] {
  return definitions.map(
    ({ name, description, parameters }): WireTool => ({
      type: "function",
      name,
      description,
      parameters: toObjectSchema(parameters),
      // The default is strict, which does not allow optional parameters.
      ...(model.compat?.supportsStrictMode !== false && { strict: false }),
    }),
  );
}

function textFormat({ outputFormat }: RequestOptions, model: Model): Partial<WireBody> {
  if (!outputFormat) return {};
  const { name, schema } = outputFormat;
  const strictSchema = model.compat?.supportsStrictMode === false ? undefined : toStrictSchema(schema);
  const format = { type: "json_schema" as const, name, schema: { ...(strictSchema ?? schema) } };
  return { text: { format: { ...format, strict: strictSchema !== undefined } } };
}

function toolChoice(
  tools: readonly WireTool[],
  { toolChoice: choice }: RequestOptions,
  compat: ResolvedCompat,
): Partial<WireBody> {
  if (choice === undefined || !compat.supportsToolChoice) return {};
  if (typeof choice === "string") return { tool_choice: choice };
  const isKnown = tools.some(({ name }) => name === choice.name);
  return isKnown ? { tool_choice: { type: "function", name: choice.name } } : {};
}

function thinking(model: Model, options: RequestOptions, compat: ResolvedCompat): Partial<WireBody> {
  if (!model.reasoning) return {};
  const level = clampThinkingLevel(options.thinkingLevel ?? "off", model);
  const isOn = level !== "off";
  const word = model.thinkingLevelMap?.[level] ?? (isOn ? level : undefined);
  // The value may come from the user's model list: an effort newer than the SDK is left to the server to judge.
  const effort = compat.supportsReasoningEffort ? (word as OpenAI.ReasoningEffort | undefined) : undefined;
  const reasoning = { ...(effort && { effort }), ...(isOn && { summary: "auto" as const }) };
  return {
    ...(Object.keys(reasoning).length > 0 && { reasoning }),
    // Also if thinking is off, because some models always think.
    include: ["reasoning.encrypted_content"],
  };
}

function cacheFields(options: RequestOptions, compat: ResolvedCompat): Partial<WireBody> {
  const retention = options.cacheRetention ?? "short";
  if (retention === "none") return {};
  return {
    ...(compat.supportsPromptCacheKey &&
      options.sessionId && { prompt_cache_key: options.sessionId.slice(0, MAX_CACHE_KEY_CHARS) }),
    ...(retention === "long" && compat.supportsLongCacheRetention && { prompt_cache_retention: "24h" as const }),
  };
}
