import {
  type AssistantMessage,
  clampThinkingLevel,
  findKnownProvider,
  isContextOverflowText,
  type Model,
  type ModelContext,
  supportedThinkingLevels,
  type ThinkingLevel,
  toUsage,
  type Usage,
} from "@pintle/ai";
import { Type } from "typebox";
import type { CallOptions } from "../api/session-types.ts";
import { MessageEventStream } from "./message-event-stream.ts";
import { complete, knownModels, stream } from "./model-calls.ts";
import type { Offer } from "./offer.ts";

// `pi-ai`: calling models from an extension.

/** Like `stream`, with a given API. */
const streamOver = (api: string) => (model: Model, context: ModelContext, options?: CallOptions) =>
  stream({ ...model, api }, context, options);

function calculateCost(model: Pick<Model, "cost">, usage: Usage): Usage["cost"] {
  usage.cost = toUsage(model, usage).cost;
  return usage.cost;
}

/** Accepts one of these strings, in a form that every provider understands. */
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

const modelsOf = (provider: string) =>
  knownModels()
    .getAll()
    .filter((model) => model.provider === provider);

/** Returns the text of a message or of its content, without images. */
function contentText(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ type, text }) => (type === "text" && text !== undefined ? text : [])).join("\n");
}

/** Returns the key of a provider from the environment. */
function getEnvApiKey(provider: string): string | undefined {
  const names = findKnownProvider(provider)?.keyVariables ?? [];
  return names.map((name) => process.env[name]).find((key) => key !== undefined && key !== "");
}

const findEnvKeys = (provider: string): string[] | undefined => {
  const found = findKnownProvider(provider)?.keyVariables.filter((name) => process.env[name]) ?? [];
  return found.length > 0 ? found : undefined;
};

const models = {
  getModel: (provider: string, id: string) => knownModels().find(provider, id),
  getModels: modelsOf,
  getProviders: providerIds,
  calculateCost,
  modelsAreEqual: (one?: Model, other?: Model) => one?.id === other?.id && one?.provider === other?.provider,
  getSupportedThinkingLevels: (model: Model) => supportedThinkingLevels(model),
  clampThinkingLevel: (model: Model, level: ThinkingLevel) => clampThinkingLevel(level, model),
};

/** `pi-ai`, also under `pi-ai/compat`. */
export const aiOffer: Offer = {
  works: {
    ...models,
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
    streamGoogle: streamOver("google-generative-ai"),
    isContextOverflow: ({ errorMessage }: AssistantMessage) => isContextOverflowText(errorMessage ?? ""),
    createAssistantMessageEventStream: () => new MessageEventStream(),
    AssistantMessageEventStream: MessageEventStream,
    EventStream: MessageEventStream,
    contentText,
    getEnvApiKey,
    findEnvKeys,
    uuidv7: () => Bun.randomUUIDv7(),
  },
};

/** `pi-ai/models`. */
export const aiModelsOffer: Offer = { works: models };

/** `pi-ai/providers/all`. */
export const aiProvidersOffer: Offer = {
  works: {
    getBuiltinModel: models.getModel,
    getBuiltinModels: models.getModels,
    getBuiltinProviders: models.getProviders,
    getAllBuiltinModels: () => knownModels().getAll(),
  },
};
