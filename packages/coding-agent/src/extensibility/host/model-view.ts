import { errorText, type Model, THINKING_LEVELS, type ThinkingLevel } from "@pintle/ai";
import type { ModelRegistry } from "../../config/models/model-registry.ts";
import { stream } from "../aliases/model-calls.ts";
import { standIn } from "../aliases/unavailable.ts";
import type { CallOptions, ModelRegistryView } from "../api/session-types.ts";

/** Exposes the session's models under the names that users' modules expect. */
export function viewModels(registry: ModelRegistry): ModelRegistryView {
  const ask: ModelRegistryView["stream"] = (model, context, options) =>
    stream(model, context, toCallOptions(options), registry);
  const ofProvider = (provider: string) => registry.getAll().find((model) => model.provider === provider);
  const ofType = (type: string, models: readonly Model[], provider?: string) =>
    type === "chat" ? models.filter((model) => provider === undefined || model.provider === provider) : [];
  const findOfType: ModelRegistryView["findOfType"] = (type, provider, id) =>
    type === "chat" ? registry.find(provider, id) : undefined;
  return {
    find: (provider, id) => registry.find(provider, id),
    getAll: () => registry.getAll(),
    getAvailable: () => registry.getAvailable(),
    findOfType,
    getModelOfType: findOfType,
    getModelsOfType: (type, provider) => ofType(type, registry.getAll(), provider),
    getAvailableOfType: async (type, provider) => ofType(type, registry.getAvailable(), provider),
    getApiKey: async (model) => (await registry.requestAuth(model)).apiKey,
    getApiKeyAndHeaders: (model) => authOf(registry, model),
    async getApiKeyForProvider(provider) {
      const model = ofProvider(provider);
      return model && (await authOf(registry, model)).apiKey;
    },
    hasConfiguredAuth: (model) => registry.hasAuth(model),
    getProviderAuthStatus: (provider) => ({ configured: registry.hasAuth({ provider }) }),
    getProviderDisplayName: (provider) => provider,
    isUsingOAuth: () => false,
    refresh: async () => registry.refresh(),
    getError: () => registry.problems()[0],
    stream: ask,
    streamSimple: ask,
    complete: (...call) => ask(...call).result(),
    completeSimple: (...call) => ask(...call).result(),
    classify: standIn("classify"),
    generateImages: standIn("generateImages"),
    getProvider: standIn("getProvider"),
    getProviderAuth: standIn("getProviderAuth"),
    registerProvider: standIn("modelRegistry.registerProvider"),
    unregisterProvider: standIn("modelRegistry.unregisterProvider"),
    registerVirtualModel: standIn("modelRegistry.registerVirtualModel"),
    unregisterVirtualModel: standIn("modelRegistry.unregisterVirtualModel"),
    getRegisteredProviderConfig: standIn("getRegisteredProviderConfig"),
    getRegisteredNativeProvider: standIn("getRegisteredNativeProvider"),
    getRegisteredProviderIds: standIn("getRegisteredProviderIds"),
  };
}

/** Accepts `reasoningEffort`, which some of pi's APIs use for `reasoning`. */
function toCallOptions({ reasoningEffort, ...options }: CallOptions & { reasoningEffort?: unknown } = {}): CallOptions {
  const level = THINKING_LEVELS.find((known) => known === reasoningEffort);
  return level === undefined ? options : { reasoning: level satisfies ThinkingLevel, ...options };
}

async function authOf(registry: ModelRegistry, model: Model): ReturnType<ModelRegistryView["getApiKeyAndHeaders"]> {
  try {
    const { apiKey, headers } = await registry.requestAuth(model);
    return { ok: true, ...(apiKey !== undefined && { apiKey }), ...(headers && { headers }) };
  } catch (error) {
    return { ok: false, error: errorText(error) };
  }
}
