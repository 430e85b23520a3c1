import { catalogue, type KnownProvider, knownProviders, type Model, offlineModel, UNDESCRIBED } from "@pintle/ai";
import type { ReportProblem } from "../config-file.ts";
import { isHttpUrl } from "../field-reader.ts";
import type { Environment } from "../keys/environment.ts";
import { mergeCompat } from "./compat-fields.ts";
import type { LocalModel } from "./local-listings.ts";
import type { ProviderConfigs } from "./models-file.ts";
import type { ListedModel, ModelPatch, ProviderConfig } from "./provider-config.ts";

/** A provider with everything that is known about it: built in, from the environment, and from `models.json`. */
export interface ProviderEntry {
  id: string;
  name: string;
  models: ReadonlyMap<string, Model>;
  /** What to use when only the provider is named. A local server has none until it is asked what it serves. */
  defaultModel?: Model;
  /** What a model looks like that is in no list: the default, to be given another id. */
  template?: Model;
  /** Whether requests are made without a key. */
  isKeyless: boolean;
  /** A server on the user's machine that can be asked what it serves. */
  isLocal: boolean;
  config?: ProviderConfig;
}

/** What local servers said they serve, by provider. */
export type LocalModels = ReadonlyMap<string, readonly LocalModel[]>;

/** Known providers in their fixed order, then the user's own in the order of the file. */
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
    if (entries.has(id) || !api) continue; // without an API there is nothing to call
    const baseUrl = config.baseUrl ?? config.package ?? "";
    entries.set(id, toEntry({ config, plain: { provider: id, api, baseUrl }, local: [] }));
  }
  return entries;
}

/** During replay a model is what it was when it was recorded, and no key is needed for it. */
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
  config?: ProviderConfig;
  plain: Pick<Model, "provider" | "api" | "baseUrl">;
  local: readonly LocalModel[];
}

let byProvider: Map<string, Model[]> | undefined;

/** Looked through once, not once per provider. */
function catalogued(): Map<string, Model[]> {
  byProvider ??= Map.groupBy(
    catalogue.map(({ model }) => model),
    ({ provider }) => provider,
  );
  return byProvider;
}

function toEntry({ known, config, plain, local }: EntryParts): ProviderEntry {
  const unlisted = (id: string): Model => {
    const model = withCompat({ id, name: id, ...plain, ...UNDESCRIBED }, config?.compat);
    const served = local.find((candidate) => candidate.id === id);
    return served ? patched(model, served) : model;
  };
  const builtin = new Map<string, Model>();
  for (const model of catalogued().get(plain.provider) ?? []) {
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
    id: plain.provider,
    name: known?.name ?? plain.provider,
    models,
    ...(first && { defaultModel: first }),
    // A local server's models have nothing in common.
    template: (config?.models.length || local.length === 0 ? first : undefined) ?? unlisted(plain.provider),
    isKeyless: isKeyless(known, config),
    isLocal: known?.baseUrlVariable !== undefined,
    ...(config && { config }),
  };
}

/** A package may find its credentials itself, in the cloud's own variables and files; so may an extension. */
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
    cost: patch.cost && Object.keys(patch.cost).length > 0 ? { ...model.cost, ...patch.cost } : model.cost, // the same object: see hasKnownPrice
    ...(thinkingLevelMap && { thinkingLevelMap }),
  };
  return withCompat(merged, mergeCompat(model.compat, patch.compat));
}

function withCompat(model: Model, compat: Model["compat"]): Model {
  return compat ? { ...model, compat } : model;
}

/** Where a local server listens, as its own variable says. People write it with and without the path of the API. */
function localBaseUrl(known: KnownProvider, env: Environment, report: ReportProblem): string | undefined {
  const value = known.baseUrlVariable && env[known.baseUrlVariable]?.trim().replace(/\/+$/, "");
  if (!value) return undefined;
  if (isHttpUrl(value)) return new URL(value).pathname === "/" ? `${value}/v1` : value;
  report(`${known.baseUrlVariable} must be an http or https URL and is ignored`);
  return undefined;
}
