import { clampThinkingLevel, knownProviders, type Model, offlineModel, type ThinkingLevel } from "@pintle/ai";
import { hasExactId, resolveModelPattern, resolveModelScope, unlistedText } from "./model-pattern.ts";
import type { ModelRegistry } from "./model-registry.ts";
import type { ProviderEntry } from "./provider-models.ts";

type Registry = Pick<
  ModelRegistry,
  | "problems"
  | "unusable"
  | "getAll"
  | "getAvailable"
  | "find"
  | "recall"
  | "providers"
  | "lackOf"
  | "isUsable"
  | "missingPackage"
  | "discoverLocal"
>;

/** Maximum wait for servers that may not exist. */
const PROBE_LIMIT_MS = 150;
/** The user has named the server, so it probably exists. */
const NAMED_LIMIT_MS = 1_000;

export interface DefaultModelInput {
  registry: Registry;
  flags?: { provider?: string; model?: string; models?: readonly string[]; thinking?: ThinkingLevel } | undefined;
  /** True if the caller provides a key for the named model, or it needs none. */
  hasGivenKey?: boolean;
  /**
   * True if the user cannot read a notice before the conversation is sent. A session whose model no longer exists is then an
   * error, instead of continuing with another model.
   */
  isUnattended?: boolean;
  /** The model that a resumed session used last. */
  stored?: { provider: string; modelId: string; thinkingLevel?: ThinkingLevel | undefined };
  /** The first model of the recordings being replayed; the user's own default would only miss them. */
  recorded?: Model;
  settings?: {
    defaultProvider?: string | undefined;
    defaultModel?: string | undefined;
    defaultThinkingLevel?: ThinkingLevel | undefined;
    /** Whether to ask local servers if nothing is configured; a server that the flags name is always asked. */
    probeLocal?: boolean;
  };
  /** How long local servers may take to answer, instead of the default. */
  localLimitMs?: number;
}

export interface DefaultModel {
  model: Model;
  thinkingLevel: ThinkingLevel;
  /** Explains to the user why this is not the model they may expect. */
  notice?: string;
}

interface Choice {
  model: Model;
  thinkingLevel?: ThinkingLevel;
  notices?: string[];
}
type Step = Choice | { error: string } | { skipped: string } | undefined;

/**
 * Chooses the model of a new or resumed session: the first of these sources that names one. A named model is used or is an error,
 * so that a typing mistake never sends a conversation to another provider.
 */
export async function chooseDefaultModel(input: DefaultModelInput): Promise<DefaultModel | { error: string }> {
  const sources: ((input: DefaultModelInput) => Step | Promise<Step>)[] = [
    fromFlags,
    fromScope,
    fromSession,
    ({ recorded }) => recorded && { model: recorded },
    fromSettings,
    fromProvidersWithKey,
    fromLocalServer,
    fromOfflineModel,
  ];
  const problems = input.registry.problems();
  if (problems.length > 0) return { error: problems.join("\n") };
  const notices: string[] = [];
  for (const source of sources) {
    const step = await source(input);
    if (!step) continue;
    if ("error" in step) return step;
    if ("skipped" in step) notices.push(step.skipped);
    else return settle(input, step, notices);
  }
  return { error: "No models available." };
}

/** Used if neither the user nor the session sets a level. */
export const DEFAULT_THINKING_LEVEL: ThinkingLevel = "medium";

function settle({ flags, stored, settings }: DefaultModelInput, choice: Choice, skipped: string[]): DefaultModel {
  const { model, notices = [] } = choice;
  const wanted =
    flags?.thinking ??
    choice.thinkingLevel ??
    stored?.thinkingLevel ??
    settings?.defaultThinkingLevel ??
    DEFAULT_THINKING_LEVEL;
  const notice = [...skipped.map((reason) => `${reason} Using ${model.provider}/${model.id}.`), ...notices].join("\n");
  return { model, thinkingLevel: clampThinkingLevel(wanted, model), ...(notice && { notice }) };
}

async function fromFlags({ localLimitMs = NAMED_LIMIT_MS, ...input }: DefaultModelInput): Promise<Step> {
  const { registry, flags = {} } = input;
  const { provider, model: pattern } = await namedByFlags(registry, flags, localLimitMs);
  const entry = provider === undefined ? undefined : findProvider(registry.providers(), provider);
  if (provider !== undefined && !entry) return { error: unknownProviderText(provider, registry) };
  if (pattern !== undefined) {
    const search = entry ? { models: modelsOf(entry), template: entry.template } : { models: registry.getAll() };
    const result = resolveModelPattern(pattern, { ...search, isUsable: (model) => registry.isUsable(model) });
    if ("error" in result) return result;
    return required(input, { ...result, notices: result.warning ? [result.warning] : [] }, "--model");
  }
  if (!entry) return undefined;
  if (entry.defaultModel) return required(input, { model: entry.defaultModel }, "--provider");
  return { error: `${entry.name} did not answer at ${entry.template?.baseUrl}. Name a model with --model.` };
}

/**
 * Resolves `--model openai/new-id`, which also names the provider unless another one serves a model with exactly that name.
 * Only a local server itself knows what it serves.
 */
async function namedByFlags(
  registry: Registry,
  flags: NonNullable<DefaultModelInput["flags"]>,
  limitMs: number,
): Promise<{ provider?: string | undefined; model?: string | undefined }> {
  const [, prefix, rest] = /^([^/]+)\/(.+)$/.exec(flags.model ?? "") ?? [];
  const named = findProvider(registry.providers(), flags.provider ?? prefix ?? "");
  if (!named) return flags;
  if (named.isLocal) await registry.discoverLocal({ provider: named.id, limitMs });
  if (flags.provider !== undefined || rest === undefined) return flags;
  const isElsewhere = !hasExactId(rest, modelsOf(named)) && hasExactId(flags.model ?? "", registry.getAvailable());
  return isElsewhere ? flags : { provider: named.id, model: rest };
}

/** Returns the first model of `--models`. A resumed session keeps its own model. */
function fromScope({ registry, flags, stored }: DefaultModelInput): Step {
  if (!flags?.models || stored) return undefined;
  const { choices, warnings } = resolveModelScope(flags.models, { models: registry.getAvailable() });
  return choices[0] ?? { error: ["None of --models can be used.", ...warnings].join("\n") };
}

function fromSession({ registry, stored, isUnattended }: DefaultModelInput): Step {
  if (!stored) return undefined;
  const { provider, modelId } = stored;
  const model = registry.recall(provider, modelId);
  const lack = model ? registry.lackOf(model) : "is unknown.";
  const isListed =
    registry.find(provider, modelId) !== undefined || findProvider(registry.providers(), provider)?.isLocal;
  if (model && lack === undefined) return { model, notices: isListed ? [] : [unlistedText(model)] };
  const text = `The session's model ${provider}/${modelId} ${lack}`;
  return isUnattended ? { error: `${text}\nName the model to continue with: --model.` } : { skipped: text };
}

function fromSettings(input: DefaultModelInput): Step {
  const { registry, settings } = input;
  const { defaultProvider, defaultModel } = settings ?? {};
  if (!defaultProvider && !defaultModel) return undefined;
  const entry = defaultProvider ? findProvider(registry.providers(), defaultProvider) : undefined;
  if (defaultProvider && !entry) return { error: `defaultProvider: ${unknownProviderText(defaultProvider, registry)}` };
  if (!defaultModel) {
    if (!entry?.defaultModel)
      return { error: `defaultProvider: ${entry?.name} lists no models. Name one as defaultModel.` };
    return required(input, { model: entry.defaultModel }, "defaultProvider");
  }
  const models = entry ? modelsOf(entry) : registry.getAll();
  const result = resolveModelPattern(defaultModel, { models, isUsable: (model) => registry.isUsable(model) });
  if (!("error" in result)) return required(input, result, "defaultModel");
  // Models of the user's own server are not in any list.
  const isOpen = entry?.isKeyless && entry.template && (entry.isLocal || models.length === 0);
  const assumed = isOpen ? registry.recall(entry.id, defaultModel) : undefined;
  return assumed ? { model: assumed } : { error: `defaultModel: ${result.error}` };
}

/** Returns the listed default of the first provider with credentials. */
function fromProvidersWithKey({ registry }: DefaultModelInput): Step {
  const available = registry.getAvailable();
  const first = available.find(({ provider }) => provider !== offlineModel.provider); // the offline model is the last resort
  if (!first) return undefined;
  const entry = findProvider(registry.providers(), first.provider);
  const models = available.filter(({ provider }) => provider === first.provider);
  return { model: models.find(({ id }) => id === entry?.defaultModel?.id) ?? first };
}

/** Asks local servers. Those with an entry in `models.json` are asked whatever the setting says. */
async function fromLocalServer({ registry, settings, localLimitMs }: DefaultModelInput): Promise<Step> {
  const configured = registry.providers().filter(({ isLocal, config }) => isLocal && config);
  for (const { id } of configured) {
    const model = await registry.discoverLocal({ provider: id, limitMs: localLimitMs ?? NAMED_LIMIT_MS });
    if (model) return { model };
  }
  const limitMs = localLimitMs ?? PROBE_LIMIT_MS;
  const model = settings?.probeLocal ? await registry.discoverLocal({ limitMs }) : undefined;
  return model && { model };
}

/** Returns the offline model, which never replaces anything that the user has configured. */
function fromOfflineModel({ registry }: DefaultModelInput): Step {
  const unusable = registry.unusable();
  if (unusable.length > 0) return { error: ["No configured model can be used.", ...unusable, OFFLINE_HELP].join("\n") };
  const model = registry.find(offlineModel.provider, offlineModel.id);
  return model && { model, notices: [offlineNotice()] };
}

const OFFLINE_HELP = `The built-in offline model is --model ${offlineModel.provider}/${offlineModel.id}.`;

function offlineNotice(): string {
  const variables = knownProviders.slice(0, 5).map(({ keyVariables }) => keyVariables.at(-1));
  return [
    "No model is configured: using the built-in offline model, a fixed set of rules without AI.",
    `For a real one set a key (${variables.join(", ")}, …), start a local server, or write models.json.`,
  ].join(" ");
}

/** Checks a model that was chosen by name. */
function required({ registry, hasGivenKey }: DefaultModelInput, choice: Choice, named: string): Step {
  const { model } = choice;
  const isWithKey = hasGivenKey && registry.missingPackage(model) === undefined;
  const lack = isWithKey ? undefined : registry.lackOf(model);
  return lack === undefined ? choice : { error: `The model ${model.provider}/${model.id} (${named}) ${lack}` };
}

function modelsOf(entry: ProviderEntry): Model[] {
  return [...entry.models.values()];
}

function findProvider(providers: readonly ProviderEntry[], name: string): ProviderEntry | undefined {
  return providers.find(({ id }) => id.toLowerCase() === name.toLowerCase());
}

function unknownProviderText(name: string, registry: Registry): string {
  const known = registry.providers().map(({ id }) => id);
  return `Unknown provider "${name}". Known: ${known.join(", ")}.`;
}
