import { isRecord } from "@pintle/ai";
import type { ModelPatch } from "./provider-config.ts";

/** A model on a server on the user's machine, with the abilities that the server reports. */
export interface LocalModel extends ModelPatch {
  id: string;
  /** True if the model is already in memory. */
  isLoaded?: boolean;
  hasTools?: boolean;
}

const MAX_MODELS = 500;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a name is shown in terminals
const NAME = /^[^\u0000-\u001f\u007f-\u009f]{1,200}$/;
/** Detects embedding models of servers that do not report what a model is for. */
const EMBEDDER = /embed|^bge-|^all-minilm|rerank/i;
const USUAL_MAX_TOKENS = 16_384;
const SEES: Pick<ModelPatch, "input"> = { input: ["text", "image"] };

/** Reads Ollama's `/api/tags`. */
export function readOllamaTags(json: unknown): LocalModel[] | undefined {
  return readItems(json, "models", ({ model, name, details }) => {
    const family = isRecord(details) ? details.family : undefined;
    return /bert/.test(`${family}`) ? undefined : { id: model ?? name };
  });
}

/** Reads Ollama's `/api/show`. Returns undefined if the model is not for conversations. */
export function readOllamaDetails(json: unknown): Partial<LocalModel> | undefined {
  if (!isRecord(json)) return {};
  const { capabilities, model_info: info, parameters } = json;
  const abilities: unknown[] = Array.isArray(capabilities) ? capabilities : [];
  if (abilities.length > 0 && !abilities.includes("completion")) return undefined;
  const trained = Object.entries(isRecord(info) ? info : {}).find(([key]) => key.endsWith(".context_length"))?.[1];
  const set = /^num_ctx\s+(\d+)/m.exec(typeof parameters === "string" ? parameters : "")?.[1];
  return {
    ...(abilities.includes("vision") && SEES),
    ...(abilities.includes("thinking") && { reasoning: true }),
    ...(abilities.length > 0 && { hasTools: abilities.includes("tools") }),
    ...windowOf(set === undefined ? trained : Number(set)),
  };
}

/** Reads LM Studio's `/api/v0/models`. */
export function readLmStudioModels(json: unknown): LocalModel[] | undefined {
  return readItems(json, "data", ({ id, type, state, capabilities, loaded_context_length, max_context_length }) => {
    if (type === "embeddings") return undefined;
    return {
      id,
      isLoaded: state === "loaded",
      ...(Array.isArray(capabilities) && { hasTools: capabilities.includes("tool_use") }),
      ...(type === "vlm" && SEES),
      ...windowOf(loaded_context_length ?? max_context_length),
    };
  });
}

/** Reads the model list of OpenAI's API, to which llama.cpp adds the allotted and the trained context size. */
export function readOpenAiModels(json: unknown): LocalModel[] | undefined {
  return readItems(json, "data", ({ id, meta }) => {
    const { n_ctx, n_ctx_train } = isRecord(meta) ? meta : {};
    return { id, ...windowOf(n_ctx ?? n_ctx_train) };
  });
}

/** Reads llama.cpp's `/props`, which has the limits of each slot. */
export function readLlamaCppProps(json: unknown): Partial<LocalModel> {
  const { default_generation_settings: settings, modalities } = isRecord(json) ? json : {};
  return {
    ...(isRecord(modalities) && modalities.vision === true && SEES),
    ...windowOf(isRecord(settings) ? settings.n_ctx : undefined),
  };
}

/** Reads a list. Returns undefined if the response has another shape, so another program is listening there. */
function readItems(
  json: unknown,
  field: string,
  read: (item: Record<string, unknown>) => (Omit<LocalModel, "id"> & { id: unknown }) | undefined,
): LocalModel[] | undefined {
  const items = isRecord(json) ? json[field] : undefined;
  if (!Array.isArray(items)) return undefined;
  const models = items.slice(0, MAX_MODELS).flatMap((item) => (isRecord(item) ? (read(item) ?? []) : []));
  return models.filter(
    (model): model is LocalModel => typeof model.id === "string" && NAME.test(model.id) && !EMBEDDER.test(model.id),
  );
}

/** The answer must fit into the context window together with the prompt. */
function windowOf(value: unknown): Pick<ModelPatch, "contextWindow" | "maxTokens"> {
  if (!Number.isSafeInteger(value) || Number(value) < 1) return {};
  const contextWindow = Number(value);
  return { contextWindow, maxTokens: Math.max(1, Math.min(USUAL_MAX_TOKENS, Math.floor(contextWindow / 2))) };
}
