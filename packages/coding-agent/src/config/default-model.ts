import { clampThinkingLevel, knownProviders, type Model, offlineModel, type ThinkingLevel } from "@pintle/ai";
import { resolveModelPattern, resolveModelScope } from "./model-pattern.ts";
import type { ModelRegistry } from "./model-registry.ts";
import type { ProviderEntry } from "./provider-models.ts";

type Registry = Pick<
  ModelRegistry,
  "getAll" | "getAvailable" | "find" | "providers" | "hasAuth" | "isUsable" | "missingPackage" | "discoverLocal"
>;

/** Nobody waits longer for servers that may not be there. */
const PROBE_LIMIT_MS = 150;
/** The user has named the server, so it probably is. */
const NAMED_LIMIT_MS = 1_000;

export interface DefaultModelInput {
  registry: Registry;
  flags?: { provider?: string; model?: string; models?: readonly string[]; thinking?: ThinkingLevel };
  /** What a resumed session used last. */
  stored?: { provider: string; modelId: string; thinkingLevel?: ThinkingLevel };
  /** The first model of the recordings that answer; a user's own default would only miss them. */
  recorded?: Model;
  settings?: {
    defaultProvider?: string;
    defaultModel?: string;
    defaultThinkingLevel?: ThinkingLevel;
    /** Whether local servers are asked when nothing is configured; one that the flags name is asked anyway. */
    probeLocal?: boolean;
  };
  /** How long local servers have to answer, if not as long as usual. */
  localLimitMs?: number;
}

export interface DefaultModel {
  model: Model;
  thinkingLevel: ThinkingLevel;
  /** Something the user should read: why it is not the model they may expect. */
  notice?: string;
}

interface Choice {
  model: Model;
  thinkingLevel?: ThinkingLevel;
  notices?: string[];
}
type Step = Choice | { error: string } | { skipped: string } | undefined;

/** The model of a new or resumed session: the first of these sources that has a usable one. */
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

function settle({ flags, stored, settings }: DefaultModelInput, choice: Choice, skipped: string[]): DefaultModel {
  const { model, notices = [] } = choice;
  const wanted =
    flags?.thinking ?? choice.thinkingLevel ?? stored?.thinkingLevel ?? settings?.defaultThinkingLevel ?? "medium";
  const notice = [...skipped.map((reason) => `${reason} Using ${model.provider}/${model.id}.`), ...notices].join("\n");
  return { model, thinkingLevel: clampThinkingLevel(wanted, model), ...(notice && { notice }) };
}

/** What the user asked for is used even without a key: the first prompt then says which key is missing. */
async function fromFlags({ registry, flags = {}, localLimitMs = NAMED_LIMIT_MS }: DefaultModelInput): Promise<Step> {
  const { provider, model: pattern } = await namedByFlags(registry, flags, localLimitMs);
  const entry = provider === undefined ? undefined : findProvider(registry.providers(), provider);
  if (provider !== undefined && !entry) return { error: unknownProviderText(provider, registry) };
  if (pattern !== undefined) {
    const search = entry ? { models: modelsOf(entry), template: entry.template } : { models: registry.getAll() };
    const result = resolveModelPattern(pattern, { ...search, isUsable: (model) => registry.isUsable(model) });
    if ("error" in result) return result;
    return { ...result, notices: result.warning ? [result.warning] : [] };
  }
  if (!entry) return undefined;
  if (entry.defaultModel) return { model: entry.defaultModel };
  return { error: `${entry.name} did not answer at ${entry.template?.baseUrl}. Name a model with --model.` };
}

/** What a local server serves is known only after it was asked; `--model ollama/qwen3` names the server, too. */
async function namedByFlags(
  registry: Registry,
  flags: NonNullable<DefaultModelInput["flags"]>,
  limitMs: number,
): Promise<{ provider?: string | undefined; model?: string | undefined }> {
  const [, prefix, rest] = /^([^/]+)\/(.+)$/.exec(flags.model ?? "") ?? [];
  const named = findProvider(registry.providers(), flags.provider ?? prefix ?? "");
  if (!named?.isLocal) return flags;
  await registry.discoverLocal({ provider: named.id, limitMs });
  return flags.provider === undefined ? { provider: named.id, model: rest } : flags;
}

/** The first of `--models`. A resumed session keeps its own model. */
function fromScope({ registry, flags, stored }: DefaultModelInput): Step {
  if (!flags?.models || stored) return undefined;
  return resolveModelScope(flags.models, { models: registry.getAvailable() }).choices[0];
}

function fromSession({ registry, stored }: DefaultModelInput): Step {
  if (!stored) return undefined;
  const what = `The session's model ${stored.provider}/${stored.modelId}`;
  return usable(registry, findOrAssume(registry, stored.provider, stored.modelId), what);
}

function fromSettings({ registry, settings }: DefaultModelInput): Step {
  const { defaultProvider, defaultModel } = settings ?? {};
  if (!defaultProvider && !defaultModel) return undefined;
  const what = `The default model ${[defaultProvider, defaultModel].filter(Boolean).join("/")} of the settings`;
  const entry = defaultProvider ? findProvider(registry.providers(), defaultProvider) : undefined;
  if (defaultProvider && !entry) return { skipped: `${what} is not known.` };
  if (!defaultModel) return usable(registry, entry?.defaultModel, what);
  const models = entry ? modelsOf(entry) : registry.getAll();
  const result = resolveModelPattern(defaultModel, { models, isUsable: (model) => registry.isUsable(model) });
  if ("error" in result) return usable(registry, entry && findOrAssume(registry, entry.id, defaultModel), what);
  const step = usable(registry, result.model, what);
  return step && "model" in step ? { ...step, thinkingLevel: result.thinkingLevel } : step;
}

/** The first provider with credentials, and of its models the listed default. */
function fromProvidersWithKey({ registry }: DefaultModelInput): Step {
  const available = registry.getAvailable();
  for (const { id, defaultModel } of registry.providers()) {
    if (id === offlineModel.provider) continue; // the last resort, after local servers
    const models = available.filter(({ provider }) => provider === id);
    const model = models.find((candidate) => candidate.id === defaultModel?.id) ?? models[0];
    if (model) return { model };
  }
  return undefined;
}

async function fromLocalServer({ registry, settings, localLimitMs }: DefaultModelInput): Promise<Step> {
  const limitMs = localLimitMs ?? PROBE_LIMIT_MS;
  const model = settings?.probeLocal ? await registry.discoverLocal({ limitMs }) : undefined;
  return model && { model };
}

function fromOfflineModel({ registry }: DefaultModelInput): Step {
  const model = registry.find(offlineModel.provider, offlineModel.id);
  return model && { model, notices: [...missingPackageNotices(registry), offlineNotice()] };
}

/** Whoever has configured a provider should not be told that there is none. */
function missingPackageNotices(registry: Registry): string[] {
  const waiting = registry.getAll().filter((model) => registry.hasAuth(model) && !registry.isUsable(model));
  const lacks = waiting.map((model) => `${model.provider} needs the package ${registry.missingPackage(model)}`);
  return [...new Set(lacks)].map((lack) => `${lack}, which is not installed.`);
}

function offlineNotice(): string {
  const variables = knownProviders.slice(0, 5).map(({ keyVariables }) => keyVariables.at(-1));
  return [
    "No model is configured: using the built-in offline model, a fixed set of rules without AI.",
    `For a real one set a key (${variables.join(", ")}, …), start a local server, or write models.json.`,
  ].join(" ");
}

function usable(registry: Registry, model: Model | undefined, what: string): Step {
  if (!model) return { skipped: `${what} is not known.` };
  if (registry.isUsable(model)) return { model };
  if (!registry.hasAuth(model)) return { skipped: `${what} has no API key.` };
  return { skipped: `${what} needs the package ${registry.missingPackage(model)}, which is not installed.` };
}

/** Servers without keys are the user's own: what they serve is nowhere listed, so a name that was used before is trusted. */
function findOrAssume(registry: Registry, provider: string, id: string): Model | undefined {
  const entry = registry.providers().find((candidate) => candidate.id === provider);
  const listed = entry?.models.get(id);
  if (listed || !entry?.isKeyless || !entry.template) return listed;
  return { ...entry.template, id, name: id };
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
