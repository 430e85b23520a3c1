import type { Model } from "../model.ts";
import { toObjectSchema } from "../protocols/object-schema.ts";
import type { ModelContext, RequestOptions, ToolDefinition } from "../protocols/protocol.ts";
import { type PromptMessage, type ProviderOptions, toPrompt } from "./bridge-prompt.ts";
import { planThinking } from "./bridge-thinking.ts";
import type { LanguageModel } from "./language-model.ts";

/** Builds the options of one `doStream` call. `compat.extraBody` holds vendor options that the user adds. */
export function toCallOptions(
  model: Model,
  languageModel: LanguageModel,
  context: ModelContext,
  options: RequestOptions,
): object {
  const { providerOptions, ...thinking } = planThinking(model, languageModel, options);
  const tools = toTools(context.tools ?? []);
  const toolChoice = toToolChoice(model, tools, options);
  const headers = { ...model.headers, ...options.headers };
  const vendorOptions = mergeOptions(providerOptions, model.compat?.extraBody as ProviderOptions | undefined);
  return {
    prompt: withCacheMarks(toWholePrompt(model, languageModel, context), model, options),
    ...thinking,
    ...(tools.length > 0 && { tools }),
    ...(toolChoice && { toolChoice }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(Object.keys(vendorOptions).length > 0 && { providerOptions: vendorOptions }),
  };
}

function toWholePrompt(model: Model, languageModel: LanguageModel, context: ModelContext): PromptMessage[] {
  const prompt = toPrompt(context.messages, model, languageModel);
  return context.systemPrompt?.trim() ? [{ role: "system", content: context.systemPrompt }, ...prompt] : prompt;
}

function toTools(definitions: readonly ToolDefinition[]) {
  return definitions.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    inputSchema: toObjectSchema(parameters),
  }));
}

function toToolChoice(model: Model, tools: readonly { name: string }[], { toolChoice }: RequestOptions) {
  if (tools.length === 0 || toolChoice === undefined || model.compat?.supportsToolChoice === false) return undefined;
  if (typeof toolChoice === "string") return { type: toolChoice };
  return tools.some(({ name }) => name === toolChoice.name) ? { type: "tool", toolName: toolChoice.name } : undefined;
}

/** Claude caches only marked content, on every platform: mark the instructions and the conversation so far. */
function withCacheMarks(prompt: PromptMessage[], model: Model, { cacheRetention }: RequestOptions): PromptMessage[] {
  if (cacheRetention === "none" || !/claude/i.test(model.id)) return prompt;
  const isLong = cacheRetention === "long" && model.compat?.supportsLongCacheRetention !== false;
  const mark: ProviderOptions = {
    anthropic: { cacheControl: { type: "ephemeral", ...(isLong && { ttl: "1h" }) } },
    bedrock: { cachePoint: { type: "default" } },
  };
  const last = prompt.findLastIndex(({ role }) => role === "user" || role === "tool");
  return prompt.map((message, index) =>
    message.role === "system" || index === last ? { ...message, providerOptions: mark } : message,
  );
}

function mergeOptions(own: ProviderOptions = {}, added: ProviderOptions = {}): ProviderOptions {
  const vendors = new Set([...Object.keys(own), ...Object.keys(added)]);
  return Object.fromEntries([...vendors].map((vendor) => [vendor, { ...own[vendor], ...added[vendor] }]));
}
