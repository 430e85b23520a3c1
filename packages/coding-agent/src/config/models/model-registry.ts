import { existsSync } from "node:fs";
import { dirname, isAbsolute } from "node:path";
import {
  type CacheRetention,
  type ForeignStream,
  findKnownProvider,
  type Model,
  type ProviderPackage,
  untilAborted,
} from "@pintle/ai";
import { isWithheld } from "@pintle/exec";
import type { ReportProblem } from "../config-file.ts";
import type { FieldNotes } from "../field-reader.ts";
import type { AuthStorage } from "../keys/auth-storage.ts";
import { SETTINGS } from "../settings/settings-schema.ts";
import { cacheRetention } from "./cache-retention.ts";
import { type AskOptions, LocalDiscovery } from "./local-discovery.ts";
import type { LocalServer } from "./local-servers.ts";
import { ModelsFile, type ProviderConfigs } from "./models-file.ts";
import { type ProviderConfig, readProviderConfig } from "./provider-config.ts";
import { addRecorded, mergeProviders, offlineProvider, type ProviderEntry } from "./provider-models.ts";
import { ProviderPackages } from "./provider-package.ts";

export interface ModelRegistryOptions {
  /** The setting `models.offline`. */
  offline?: boolean;
  report?: ReportProblem;
  /** Models with recorded answers, which need no key and keep their recorded properties. */
  recorded?: readonly Model[];
}

/** What a request carries in addition to its body; matches the fields of the stream options. */
export interface RequestAuth {
  apiKey?: string;
  headers?: Record<string, string>;
  providerPackage?: ProviderPackage;
  foreign?: ForeignStream;
  cacheRetention?: CacheRetention;
}

export class MissingKeyError extends Error {
  override name = "MissingKeyError";

  constructor(provider: string) {
    super(`No API key found for ${provider}.\n${keyHelp(provider)}`);
  }
}

/** Returns what to do about a missing key. */
function keyHelp(provider: string): string {
  const variables = findKnownProvider(provider)?.keyVariables.join(" or ");
  return variables ? `Set ${variables}, or add the key to auth.json.` : "Add the key to auth.json.";
}

/** Lists which models exist and which can be used: the built-in catalogue, changed and extended by `models.json`. */
export class ModelRegistry {
  readonly #auth: AuthStorage;
  readonly #file: ModelsFile | undefined;
  readonly #report: ReportProblem;
  readonly #offline: boolean;
  readonly #packages: ProviderPackages;
  readonly #recorded: readonly Model[];
  readonly #local = new LocalDiscovery();
  /** Providers registered in this process, which override the file. */
  readonly #registered = new Map<string, ProviderConfig>();
  #configs: ProviderConfigs | undefined;
  #entries: ReadonlyMap<string, ProviderEntry> = new Map();

  private constructor(auth: AuthStorage, modelsFile: string | undefined, options: ModelRegistryOptions) {
    const { offline = true, report = () => {}, recorded = [] } = options;
    this.#recorded = recorded;
    this.#auth = auth;
    this.#file = modelsFile === undefined ? undefined : new ModelsFile(modelsFile, report);
    this.#report = report;
    this.#offline = offline;
    this.#packages = new ProviderPackages(modelsFile === undefined ? undefined : dirname(modelsFile));
  }

  /** `modelsFile` is usually HOME_DIR/models.json; it need not exist and is read when first needed. */
  static create(auth: AuthStorage, modelsFile: string, options: ModelRegistryOptions = {}): ModelRegistry {
    return new ModelRegistry(auth, modelsFile, options);
  }

  static inMemory(auth: AuthStorage, options: ModelRegistryOptions = {}): ModelRegistry {
    return new ModelRegistry(auth, undefined, options);
  }

  /** Stores a key, or removes it if undefined. Throws StoredKeyError. */
  changeKey(provider: string, key: string | undefined): Promise<void> {
    return key === undefined ? this.#auth.removeKey(provider) : this.#auth.storeKey(provider, key);
  }

  /** Reads `models.json` and `auth.json` again if they have changed. */
  refresh(): void {
    this.#auth.refresh();
    const configs = this.#file?.read() ?? NO_CONFIGS;
    if (configs === this.#configs) return;
    this.#configs = configs;
    this.#merge(this.#report);
    for (const [provider, { apiKey, options }] of configs) {
      if (apiKey !== undefined) this.#auth.rememberConfiguredKey(provider, apiKey);
      for (const secret of secretsIn(options)) this.#auth.secrets.remember(secret);
    }
  }

  /**
   * Asks the servers on this machine what they serve, and lists their models from then on. Returns the model to use if nothing
   * else is configured. Nothing else here contacts them.
   */
  async discoverLocal({ provider, ...options }: AskOptions & { provider?: string } = {}): Promise<Model | undefined> {
    const entries = this.providers().filter(({ id, isLocal }) => isLocal && (provider ?? id) === id);
    await this.#local.ask(
      entries.map((entry) => this.#serverOf(entry)),
      options,
    );
    this.#merge(() => {}); // problems were reported when the file was read
    const answered = entries.find(({ id }) => (this.#local.models.get(id)?.length ?? 0) > 0);
    return answered && this.#entry(answered.id)?.defaultModel;
  }

  /** Waits for pending requests to local servers, at most ten seconds. */
  discovered(): Promise<void> {
    return this.#local.settled();
  }

  /**
   * Registers a provider, as in `models.json`, for this process. With `foreign`, that function calls its models. Throws if the
   * provider cannot be used.
   */
  registerProvider(id: string, value: object, foreign?: ForeignStream): void {
    const notes: FieldNotes = { errors: [], warnings: [] };
    const config = readProviderConfig(id, value, notes, foreign);
    if (!config) throw new Error(notes.errors.join("; ") || `The provider ${id} cannot be used`);
    this.#registered.set(id, { ...config, hasAllModels: config.models.length > 0 });
    if (config.apiKey !== undefined) this.#auth.rememberConfiguredKey(id, config.apiKey);
    this.#merge(this.#report);
  }

  unregisterProvider(id: string): void {
    if (this.#registered.delete(id)) this.#merge(() => {});
  }

  /** Returns the problems with `models.json` and `auth.json`, because of which requests might reach the wrong model. */
  problems(): string[] {
    this.refresh();
    return [...(this.#auth.problem === undefined ? [] : [this.#auth.problem]), ...(this.#file?.problems ?? [])];
  }

  /** Returns why providers that the user has configured cannot be used, one sentence each. */
  unusable(): string[] {
    const configured = this.providers().filter(({ id, config }) => config && this.#configs?.has(id));
    const unknown = this.#auth.storedProviders().filter((id) => !this.#entry(id));
    return [
      ...configured.map(
        ({ id, defaultModel }) =>
          `${id} ${defaultModel ? this.lackOf(defaultModel) : "did not report which models it has."}`,
      ),
      ...unknown.map((id) => `${id} has a key in auth.json, but is not a known provider.`),
    ];
  }

  /** Returns why a model cannot be used, as text that follows its name, or undefined if it can. */
  lackOf(model: Model): string | undefined {
    const missing = this.missingPackage(model);
    if (missing !== undefined) return `needs the package ${missing}, which is not installed.`;
    return this.hasAuth(model) ? undefined : `has no API key. ${keyHelp(model.provider)}`;
  }

  /** Returns the names of variables with keys for requests, which children must not inherit. */
  keyVariables(): string[] {
    this.refresh();
    const configs = [...(this.#configs?.values() ?? []), ...this.#registered.values()];
    const named = configs.flatMap(secretValues).flatMap((value) => this.#auth.secrets.variableIn(value) ?? []);
    return [...this.#auth.keyVariables(), ...named];
  }

  /** Returns every key that is configured or was used, and the values of variables whose names suggest a secret. */
  knownSecrets(secretNames: readonly string[]): string[] {
    const rules = { keyVariables: this.keyVariables(), withhold: secretNames, pass: SETTINGS["env.pass"].default };
    const named = Object.entries(this.#auth.secrets.env).filter(([name]) => isWithheld(name, rules));
    const values = named.flatMap(([, value]) => (value && !isPlace(value) ? [value] : []));
    return [...new Set([...this.#auth.knownSecrets(), ...values])];
  }

  getAll(): Model[] {
    return this.providers().flatMap((entry) => [...entry.models.values()]);
  }

  /** Returns models with credentials, in the order of `providers`; the offline model always comes last. */
  getAvailable(): Model[] {
    this.refresh();
    const usable = this.providers().filter(({ id }) => this.hasAuth({ provider: id })); // does not compute their models: see toEntry
    return usable.flatMap(({ models }) => [...models.values()]).filter((model) => this.isUsable(model));
  }

  find(provider: string, id: string): Model | undefined {
    return this.#entry(provider)?.models.get(id);
  }

  /** Returns a model that was used before, even if it is not listed, or undefined if the provider is unknown. */
  recall(provider: string, id: string): Model | undefined {
    const { models, template } = this.#entry(provider) ?? {};
    return models?.get(id) ?? (template && { ...template, id, name: id });
  }

  /** Returns the providers, in the order in which a default is searched for. */
  providers(): ProviderEntry[] {
    if (!this.#configs) this.refresh();
    return [...this.#entries.values()];
  }

  hasAuth({ provider }: Pick<Model, "provider">): boolean {
    const entry = this.#entry(provider);
    return entry?.isKeyless === true || this.#auth.hasKey(provider, entry?.config?.apiKey);
  }

  /** Describes where the key of a provider comes from, or returns undefined if it has none. */
  keySource(provider: string): string | undefined {
    const { config } = this.#entry(provider) ?? {};
    if (config?.auth === "none") return undefined;
    const place = this.#registered.has(provider) ? "an extension" : "models.json";
    return this.#auth.keySource(provider, config?.apiKey, place);
  }

  isUsable(model: Model): boolean {
    return this.hasAuth(model) && this.missingPackage(model) === undefined;
  }

  /** Returns the AI SDK package that must be installed before the model can be called. */
  missingPackage({ api, provider }: Pick<Model, "api" | "provider">): string | undefined {
    const name = api === "ai-sdk" ? this.#entry(provider)?.config?.package : undefined;
    return name === undefined || this.#packages.isInstalled(name) ? undefined : name;
  }

  /**
   * Called for each request, so that keys may change while a session lives. Throws MissingKeyError, or SecretValueError
   * when a configured command fails.
   */
  async requestAuth(model: Model, signal?: AbortSignal): Promise<RequestAuth> {
    const auth = this.#resolveAuth(model);
    return untilAborted(auth, signal);
  }

  async #resolveAuth(model: Model): Promise<RequestAuth> {
    const { isKeyless = false, config } = this.#entry(model.provider) ?? {};
    if (this.#recorded.some(({ provider }) => provider === model.provider)) {
      return model.api === "ai-sdk" && config?.package
        ? { providerPackage: this.#packageOf(config, config.package) }
        : {};
    }
    const apiKey =
      config?.auth === "none" ? undefined : await this.#auth.resolveKey(model.provider, config?.apiKey, model.id);
    if (!apiKey && !isKeyless) throw new MissingKeyError(model.provider);
    const headers = await this.#resolveHeaders(model, config);
    if (config?.authHeader && apiKey) setHeader(headers, "Authorization", `Bearer ${apiKey}`);
    const retention = cacheRetention(this.#auth.secrets.env);
    return {
      ...(retention && { cacheRetention: retention }),
      ...(apiKey && { apiKey }),
      ...(config?.foreign && { foreign: config.foreign }),
      ...(Object.keys(headers).length > 0 && { headers }),
      ...(model.api === "ai-sdk" && config?.package && { providerPackage: this.#packageOf(config, config.package) }),
    };
  }

  #packageOf({ options }: ProviderConfig, name: string): ProviderPackage {
    return { name, ...(options && { options }), load: () => this.#packages.load(name) };
  }

  async #resolveHeaders(model: Model, config: ProviderConfig | undefined): Promise<Record<string, string>> {
    const listed = config?.models.find(({ id }) => id === model.id);
    const headers: Record<string, string> = {};
    for (const layer of [config?.headers, config?.modelOverrides.get(model.id)?.headers, listed?.headers]) {
      for (const [name, value] of Object.entries(layer ?? {})) {
        const resolved = await this.#auth.secrets.resolve(value, `The header ${name} of ${model.provider}`);
        if (resolved !== value || SECRET_NAME.test(name)) this.#auth.secrets.remember(resolved);
        setHeader(headers, name, resolved);
      }
    }
    return headers;
  }

  /** Describes a local server. Never runs a command for its key. */
  #serverOf({ id, template, config }: ProviderEntry): LocalServer {
    const key = this.#auth.plainKey(id, config?.apiKey);
    const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
    return { provider: id, baseUrl: template?.baseUrl ?? "", headers };
  }

  #merge(report: ReportProblem): void {
    const configs = new Map([...(this.#configs ?? NO_CONFIGS), ...this.#registered]);
    const entries = mergeProviders(configs, this.#auth.secrets.env, report, this.#local.models);
    addRecorded(entries, this.#recorded);
    this.#entries = this.#offline ? entries.set(offlineProvider.id, offlineProvider) : entries;
  }

  #entry(provider: string): ProviderEntry | undefined {
    if (!this.#configs) this.refresh();
    return this.#entries.get(provider);
  }
}

const NO_CONFIGS: ProviderConfigs = new Map();
const SECRET_NAME = /auth|key|token|secret|cookie|password|credential/i;

/** Returns the secrets as written: keys, and headers and package options with a telling name. */
function secretValues({ apiKey, headers, models, modelOverrides, options }: ProviderConfig): string[] {
  const layers = [
    headers,
    ...models.map((model) => model.headers),
    ...[...modelOverrides.values()].map((o) => o.headers),
  ];
  return [
    ...(apiKey === undefined ? [] : [apiKey]),
    ...layers.flatMap((layer) => secretsIn(layer)),
    ...secretsIn(options),
  ];
}

/** Collects secrets in package options, which have no fixed form: strings with a telling name, and everything below one. */
function secretsIn(value: unknown, isSecret = false): string[] {
  if (typeof value === "string") return isSecret ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => secretsIn(part, isSecret || SECRET_NAME.test(name)));
}

/** Header names are case-insensitive, so a later header replaces an earlier one however it is spelled. */
function setHeader(headers: Record<string, string>, name: string, value: string): void {
  const earlier = Object.keys(headers).find((existing) => existing.toLowerCase() === name.toLowerCase());
  if (earlier !== undefined) delete headers[earlier];
  headers[name] = value;
}

/** Returns whether a value such as `SSH_KEY_FILE=/home/me/.ssh/id` is only the path of a secret. */
function isPlace(value: string): boolean {
  return isAbsolute(value) && existsSync(value);
}
