import {
  type ForeignStream,
  findKnownProvider,
  isRecord,
  type Model,
  type ModelContext,
  THINKING_LEVELS,
} from "@pintle/ai";
import { stream } from "../aliases/model-calls.ts";
import type { ProviderRegistration } from "../api/extension-host.ts";
import type { ExtensionContext } from "../api/extension-types.ts";
import type { RouteRequest, VirtualModel } from "../api/virtual-model.ts";

const DEFAULT_WINDOW = 128_000;
const DEFAULT_MAX_TOKENS = 16_384;

/** Returns why a model cannot be offered. */
export function virtualModelFault(value: VirtualModel): string | undefined {
  const { provider, id, name, route }: Partial<VirtualModel> = Object(value);
  if (![provider, id, name].every((text) => typeof text === "string" && text !== ""))
    return "registerVirtualModel takes an object with provider, id and name";
  if (typeof route !== "function") return `The virtual model ${id} has no route function`;
  if (findKnownProvider(provider ?? ""))
    return `The provider ${provider} has models of its own: register ${id} under another provider`;
  return undefined;
}

/** What routes need from the session. */
export interface RoutePlace {
  context(): ExtensionContext;
  appendEntry(customType: string, data: unknown): void;
}

/** The type of the session entries that store the state of routes; the same as in pi. */
export const STATE_ENTRY = "pi.virtual-model-state";

/** Returns the provider that offers these models. A price is unknown before a request is routed, so none is declared. */
export function virtualProvider(models: readonly VirtualModel[], place: RoutePlace): ProviderRegistration {
  return {
    baseUrl: "http://virtual.invalid",
    apiKey: "virtual",
    api: "openai-completions",
    models: models.map(({ id, name, thinkingLevels = ["off"], contextWindow, maxTokens, input }) => ({
      id,
      name,
      reasoning: thinkingLevels.some((level) => level !== "off"),
      thinkingLevelMap: Object.fromEntries(
        THINKING_LEVELS.filter((level) => level !== "off").map((level) => [
          level,
          thinkingLevels.includes(level) ? level : null,
        ]),
      ),
      input: [...(input ?? ["text", "image"])],
      contextWindow: contextWindow ?? DEFAULT_WINDOW,
      maxTokens: maxTokens ?? DEFAULT_MAX_TOKENS,
    })),
    streamSimple: router(new Map(models.map((model) => [model.id, model])), place),
  };
}

function router(models: ReadonlyMap<string, VirtualModel>, { context, appendEntry }: RoutePlace): ForeignStream {
  /** The last target of each virtual model, because answers are stored under the virtual model's name. */
  const routed = new Map<string, Model>();
  return async (model, request, { reasoning, signal, fetch }) => {
    const virtual = models.get(model.id);
    if (!virtual) throw new Error(`There is no virtual model ${model.provider}/${model.id}`);
    const ctx = context();
    const answered = answeringModel(request.messages, ctx);
    const previous = answered?.provider === model.provider ? routed.get(answered.id) : answered;
    const state = storedState(model, ctx);
    const asked: RouteRequest = {
      model,
      thinkingLevel: reasoning ?? "off",
      reason: request.messages.at(-1)?.role === "user" ? "user" : "continuation",
      ...(previous && { previous: { model: previous } }),
      ...(state !== undefined && { state }),
      messages: request.messages,
      signal,
    };
    const { model: target, thinkingLevel, state: next } = await virtual.route(asked, ctx);
    const physical = requirePhysical(target, model, ctx);
    routed.set(model.id, physical);
    if (next !== undefined && next !== state)
      appendEntry(STATE_ENTRY, { provider: model.provider, modelId: model.id, state: next });
    const { ok, apiKey, headers, error } = await ctx.modelRegistry.getApiKeyAndHeaders(physical);
    if (!ok) throw new Error(error ?? `${physical.provider}/${physical.id} has no key`);
    const level = thinkingLevel ?? reasoning ?? "off";
    return stream(physical, request, {
      apiKey,
      headers,
      signal,
      ...(fetch && { fetch }),
      ...(level !== "off" && { reasoning: level }),
    });
  };
}

/** Returns the newest state on this branch, so that it follows the session's tree. */
function storedState({ provider, id }: Model, { sessionManager }: ExtensionContext): unknown {
  for (const entry of sessionManager.getBranch().toReversed()) {
    if (entry.type !== "custom" || entry.customType !== STATE_ENTRY || !isRecord(entry.data)) continue;
    if (entry.data.provider === provider && entry.data.modelId === id) return structuredClone(entry.data.state);
  }
  return undefined;
}

/** Returns the model of the newest successful answer. */
function answeringModel(messages: ModelContext["messages"], { modelRegistry }: ExtensionContext): Model | undefined {
  const answer = messages.findLast(
    (message) => message.role === "assistant" && !["error", "aborted"].includes(message.stopReason),
  );
  return answer?.role === "assistant" ? modelRegistry.find(answer.provider, answer.model) : undefined;
}

/** Checks that a route leads to a model that the session knows, and not back to a virtual one. */
function requirePhysical(target: Model, from: Model, { modelRegistry }: ExtensionContext): Model {
  const found = modelRegistry.find(String(target?.provider), String(target?.id));
  if (!found || found.provider === from.provider)
    throw new Error(`The route of ${from.provider}/${from.id} did not return a model that can answer`);
  return found;
}
