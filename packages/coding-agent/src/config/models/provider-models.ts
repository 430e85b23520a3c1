import { catalogueOf, type KnownProvider, knownProviders, type Model, offlineModel, UNDESCRIBED } from "@pintle/ai";
import type { ReportProblem } from "../config-file.ts";
import { isHttpUrl } from "../field-reader.ts";
import type { Environment } from "../keys/environment.ts";
import { mergeCompat } from "./compat-fields.ts";
import type { LocalModel } from "./local-listings.ts";
import type { ProviderConfigs } from "./models-file.ts";
import type { ListedModel, ModelPatch, ProviderConfig } from "./provider-config.ts";

/** A provider with everything known about it: built in, from the environment, and from `models.json`. */
export interface ProviderEntry {
  id: string;
  name: string;
  models: ReadonlyMap<string, Model>;
  /** Used if only the provider is named. A local server has none until it reports what it serves. */
  defaultModel?: Model | undefined;
  /** The template for unlisted models: the default model, to be given another id. */
  template?: Model | undefined;
  /** True if requests need no key. */
  isKeyless: boolean;
  /** True for a server on the user's machine that can report what it serves. */
  isLocal: boolean;
  config?: ProviderConfig;
}

/** Models that local servers report, by provider. */
export type LocalModels = ReadonlyMap<string, readonly LocalModel[]>;

/** Returns known providers in their fixed order, then the user's own in the order of the file. */
export function mergeProviders(
  configs: ProviderConfigs,
  env: Environment,
  report: ReportProblem,
  local: LocalModels = new Map(),
): Map<string, ProviderEntry> {
  const entries = new Map<string, ProviderEntry>();
  for (const known of knownProviders) {
    const config = configs.get(known.id);
    const baseUrl = localBaseUrl(known, env, report) ?? config?.baseUrl ?? known.baseUrl;
    const plain = { provider: known.id, api: known.api, baseUrl };
    entries.set(known.id, toEntry({ known, config, plain, local: local.get(known.id) ?? [] }));
  }
  for (const [id, config] of configs) {
    const api = config.api ?? config.models[0]?.api;
    if (entries.has(id) || !api) continue; // nothing to call without an API
    const baseUrl = config.baseUrl ?? config.package ?? "";
    entries.set(id, toEntry({ config, plain: { provider: id, api, baseUrl }, local: [] }));
  }
  return entries;
}

/** Adds recorded models: during replay they keep their recorded properties and need no key. */
export function addRecorded(entries: Map<string, ProviderEntry>, recorded: readonly Model[]): void {
  for (const model of recorded) {
    const id = model.provider;
    const entry: ProviderEntry = entries.get(id) ?? {
      id,
      name: id,
      models: new Map(),
      isKeyless: true,
      isLocal: false,
    };
    const models = new Map([...entry.models, [model.id, model] as const]);
    const defaultModel = models.get(entry.defaultModel?.id ?? "") ?? model;
    entries.set(id, { ...entry, models, defaultModel, isKeyless: true });
  }
}

export const offlineProvider: ProviderEntry = {
  id: offlineModel.provider,
  name: "pintle",
  models: new Map([[offlineModel.id, offlineModel]]),
  defaultModel: offlineModel,
  isKeyless: true,
  isLocal: false,
};

interface EntryParts {
  known?: KnownProvider;
  config?: ProviderConfig | undefined;
  plain: Pick<Model, "provider" | "api" | "baseUrl">;
  local: readonly LocalModel[];
}

/** Computes the models when first needed, because a start needs those of only one provider. */
function toEntry(parts: EntryParts): ProviderEntry {
  const { known, config, plain } = parts;
  let described: ProviderModels | undefined;
  const describe = () => (described ??= describeModels(parts));
  return {
    id: plain.provider,
    name: known?.name ?? plain.provider,
    get models() {
      return describe().models;
    },
    get defaultModel() {
      return describe().defaultModel;
    },
    get template() {
      return describe().template;
    },
    isKeyless: isKeyless(known, config),
    isLocal: known?.baseUrlVariable !== undefined,
    ...(config && { config }),
  };
}

type ProviderModels = Pick<ProviderEntry, "models" | "defaultModel" | "template">;

function describeModels({ known, config, plain, local }: EntryParts): ProviderModels {
  const unlisted = (id: string): Model => {
    const model = withCompat({ id, name: id, ...plain, ...UNDESCRIBED }, config?.compat);
    const served = local.find((candidate) => candidate.id === id);
    return served ? patched(model, served) : model;
  };
  const builtin = new Map<string, Model>();
  for (const { model } of catalogueOf(plain.provider)) {
    builtin.set(model.id, withCompat({ ...model, baseUrl: plain.baseUrl }, mergeCompat(config?.compat, model.compat)));
  }
  const { defaultModel } = known ?? {};
  if (defaultModel && !builtin.has(defaultModel)) builtin.set(defaultModel, unlisted(defaultModel));
  for (const [id, patch] of config?.modelOverrides ?? []) {
    const model = builtin.get(id);
    if (model) builtin.set(id, patched(model, patch));
  }
  const models = config?.hasAllModels ? new Map<string, Model>() : new Map(builtin);
  for (const listed of config?.models ?? []) {
    const base = builtin.get(listed.id) ?? unlisted(listed.id);
    models.set(listed.id, patched({ ...base, ...endpointOf(listed, config, base) }, listed));
  }
  for (const { id } of local) if (!models.has(id)) models.set(id, unlisted(id));
  const first = models.get(defaultModel ?? "") ?? models.values().next().value;
  return {
    models,
    ...(first && { defaultModel: first }),
    // The models of a local server have nothing in common.
    template: (config?.models.length || local.length === 0 ? first : undefined) ?? unlisted(plain.provider),
  };
}

/** A package or an extension may find its credentials itself, for example in the cloud's own variables and files. */
function isKeyless(known: KnownProvider | undefined, config: ProviderConfig | undefined): boolean {
  if (config?.auth) return config.auth === "none";
  if (known?.baseUrlVariable !== undefined) return true;
  return (config?.api === "ai-sdk" || (config?.foreign !== undefined && !known)) && config.apiKey === undefined;
}

function endpointOf(
  listed: ListedModel,
  config: ProviderConfig | undefined,
  base: Model,
): Pick<Model, "api" | "baseUrl"> {
  return { api: listed.api ?? config?.api ?? base.api, baseUrl: listed.baseUrl ?? base.baseUrl };
}

function patched(model: Model, patch: ModelPatch): Model {
  const { name, reasoning, input, contextWindow, maxTokens } = { ...model, ...patch };
  const thinkingLevelMap = patch.thinkingLevelMap && { ...model.thinkingLevelMap, ...patch.thinkingLevelMap };
  const merged: Model = {
    ...model,
    name,
    reasoning,
    input,
    contextWindow,
    maxTokens,
    cost: patch.cost && Object.keys(patch.cost).length > 0 ? { ...model.cost, ...patch.cost } : model.cost, // keep the object: see hasKnownPrice
    ...(thinkingLevelMap && { thinkingLevelMap }),
  };
  return withCompat(merged, mergeCompat(model.compat, patch.compat));
}

function withCompat(model: Model, compat: Model["compat"]): Model {
  return compat ? { ...model, compat } : model;
}

/** Returns the address of a local server from its own variable, which may or may not include the path of the API. */
function localBaseUrl(known: KnownProvider, env: Environment, report: ReportProblem): string | undefined {
  const value = known.baseUrlVariable && env[known.baseUrlVariable]?.trim().replace(/\/+$/, "");
  if (!value) return undefined;
  if (isHttpUrl(value)) return new URL(value).pathname === "/" ? `${value}/v1` : value;
  report(`${known.baseUrlVariable} must be an http or https URL and is ignored`);
  return undefined;
}
