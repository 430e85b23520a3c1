import {
  type AssistantMessage,
  isContextOverflowText,
  type Model,
  type ModelContext,
  toUsage,
  type Usage,
} from "@pintle/ai";
import { Type } from "typebox";
import { unavailable } from "./inert-exports.ts";
import { MessageEventStream } from "./message-event-stream.ts";
import { type CallOptions, complete, knownModels, stream } from "./model-calls.ts";

// `pi-ai`: calling models from an extension.

/** As `stream`, over a given API. */
const streamOver = (api: string) => (model: Model, context: ModelContext, options?: CallOptions) =>
  stream({ ...model, api }, context, options);

function calculateCost(model: Pick<Model, "cost">, usage: Usage): Usage["cost"] {
  usage.cost = toUsage(model, usage).cost;
  return usage.cost;
}

/** One of these texts, in a form that every provider understands. */
function StringEnum<T extends readonly string[]>(values: T, options: Record<string, unknown> = {}) {
  return Type.Unsafe<T[number]>({ type: "string", enum: [...values], ...options });
}

const providerIds = () => [
  ...new Set(
    knownModels()
      .getAll()
      .map(({ provider }) => provider),
  ),
];

export const aiExports: Readonly<Record<string, unknown>> = {
  Type,
  StringEnum,
  stream,
  complete,
  streamSimple: stream,
  completeSimple: complete,
  streamSimpleAnthropic: streamOver("anthropic-messages"),
  streamAnthropic: streamOver("anthropic-messages"),
  streamSimpleOpenAIResponses: streamOver("openai-responses"),
  streamOpenAIResponses: streamOver("openai-responses"),
  streamSimpleOpenAICompletions: streamOver("openai-completions"),
  streamOpenAICompletions: streamOver("openai-completions"),
  streamSimpleGoogle: streamOver("google-generative-ai"),
  getModel: (provider: string, id: string) => knownModels().find(provider, id),
  getModels: (provider: string) =>
    knownModels()
      .getAll()
      .filter((model) => model.provider === provider),
  getProviders: providerIds,
  calculateCost,
  modelsAreEqual: (one?: Model, other?: Model) => one?.id === other?.id && one?.provider === other?.provider,
  isContextOverflow: ({ errorMessage }: AssistantMessage) => isContextOverflowText(errorMessage ?? ""),
  createAssistantMessageEventStream: () => new MessageEventStream(),
  AssistantMessageEventStream: MessageEventStream,
  EventStream: MessageEventStream,
  uuidv7: () => Bun.randomUUIDv7(),
  ...unavailable([
    ...["registerApiProvider", "unregisterApiProviders", "getApiProvider", "getApiProviders", "clearApiProviders"],
    ...["getEnvApiKey", "findEnvKeys", "getSupportedThinkingLevels", "clampThinkingLevel", "parseStreamingJson"],
    ...["validateToolCall", "validateToolArguments", "registerFauxProvider", "fauxAssistantMessage", "fauxText"],
    ...["anthropicMessagesApi", "openAIResponsesApi", "openAICompletionsApi", "collapseSystemMessages"],
    ...["getCurrentSystemPrompt", "getCurrentTools", "ToolCallArgumentsStream"],
  ]),
};
