import { CALLABLE_APIS, findKnownProvider, type Model } from "@pintle/ai";
import type { AuthStorage } from "./auth-storage.ts";
import type { ReportProblem } from "./config-file.ts";
import { ModelsFile, type ProviderConfigs } from "./models-file.ts";
import type { ProviderConfig } from "./provider-config.ts";
import { mergeProviders, offlineProvider, type ProviderEntry } from "./provider-models.ts";
import { untilAborted } from "./secret-value.ts";

export interface ModelRegistryOptions {
  /** Setting `models.offline`. */
  offline?: boolean;
  report?: ReportProblem;
}

/** What a request carries besides its body; matches the fields of the stream options. */
export interface RequestAuth {
  apiKey?: string;
  headers?: Record<string, string>;
}

export class MissingKeyError extends Error {
  override name = "MissingKeyError";

  constructor(provider: string) {
    const variables = findKnownProvider(provider)?.keyVariables.join(" or ");
    const help = variables ? `Set ${variables}, or add the key to auth.json.` : "Add the key to auth.json.";
    super(`No API key found for ${provider}.\n${help}`);
  }
}

/** Which models exist and which can be used: the built-in catalogue, changed and extended by `models.json`. */
export class ModelRegistry {
  readonly #auth: AuthStorage;
  readonly #file: ModelsFile | undefined;
  readonly #report: ReportProblem;
  readonly #offline: boolean;
  #configs: ProviderConfigs | undefined;
  #entries: ReadonlyMap<string, ProviderEntry> = new Map();

  private constructor(auth: AuthStorage, modelsFile: string | undefined, options: ModelRegistryOptions) {
    const { offline = true, report = () => {} } = options;
    this.#auth = auth;
    this.#file = modelsFile === undefined ? undefined : new ModelsFile(modelsFile, report);
    this.#report = report;
    this.#offline = offline;
  }

  /** `modelsFile` is usually HOME_DIR/models.json; it need not exist and is read when first needed. */
  static create(auth: AuthStorage, modelsFile: string, options: ModelRegistryOptions = {}): ModelRegistry {
    return new ModelRegistry(auth, modelsFile, options);
  }

  static inMemory(auth: AuthStorage, options: ModelRegistryOptions = {}): ModelRegistry {
    return new ModelRegistry(auth, undefined, options);
  }

  /** Reads `models.json` again if it has changed. */
  refresh(): void {
    const configs = this.#file?.read() ?? NO_CONFIGS;
    if (configs === this.#configs) return;
    this.#configs = configs;
    const entries = mergeProviders(configs, this.#auth.secrets.env, this.#report);
    this.#entries = this.#offline ? entries.set(offlineProvider.id, offlineProvider) : entries;
    for (const [provider, { apiKey }] of configs) {
      if (apiKey !== undefined) this.#auth.rememberConfiguredKey(provider, apiKey);
    }
  }

  getAll(): Model[] {
    return this.providers().flatMap((entry) => [...entry.models.values()]);
  }

  /** Models with credentials, in the order of `providers`; the offline model is always the last. */
  getAvailable(): Model[] {
    this.refresh();
    return this.getAll().filter((model) => this.isUsable(model));
  }

  find(provider: string, id: string): Model | undefined {
    return this.#entry(provider)?.models.get(id);
  }

  /** In the order in which a default is looked for. */
  providers(): ProviderEntry[] {
    if (!this.#configs) this.refresh();
    return [...this.#entries.values()];
  }

  hasAuth({ provider }: Pick<Model, "provider">): boolean {
    const entry = this.#entry(provider);
    return entry?.isKeyless === true || this.#auth.hasKey(provider, entry?.config?.apiKey);
  }

  isUsable(model: Model): boolean {
    return CALLABLE_APIS.has(model.api) && this.hasAuth(model);
  }

  /**
   * Called for each request, so that keys may change while a session lives. Throws MissingKeyError, or SecretValueError
   * when a configured command fails.
   */
  async requestAuth(model: Model, signal?: AbortSignal): Promise<RequestAuth> {
    const auth = this.#resolveAuth(model);
    return signal ? untilAborted(auth, signal) : auth;
  }

  async #resolveAuth(model: Model): Promise<RequestAuth> {
    const { isKeyless = false, config } = this.#entry(model.provider) ?? {};
    const apiKey = config?.auth === "none" ? undefined : await this.#auth.resolveKey(model.provider, config?.apiKey);
    if (!apiKey && !isKeyless) throw new MissingKeyError(model.provider);
    const headers = await this.#resolveHeaders(model, config);
    if (config?.authHeader && apiKey) setHeader(headers, "Authorization", `Bearer ${apiKey}`);
    return { ...(apiKey && { apiKey }), ...(Object.keys(headers).length > 0 && { headers }) };
  }

  async #resolveHeaders(model: Model, config: ProviderConfig | undefined): Promise<Record<string, string>> {
    const listed = config?.models.find(({ id }) => id === model.id);
    const headers: Record<string, string> = {};
    for (const layer of [config?.headers, config?.modelOverrides.get(model.id)?.headers, listed?.headers]) {
      for (const [name, value] of Object.entries(layer ?? {})) {
        const resolved = await this.#auth.secrets.resolve(value, `The header ${name} of ${model.provider}`);
        if (resolved !== value || SECRET_HEADER.test(name)) this.#auth.secrets.remember(resolved);
        setHeader(headers, name, resolved);
      }
    }
    return headers;
  }

  #entry(provider: string): ProviderEntry | undefined {
    if (!this.#configs) this.refresh();
    return this.#entries.get(provider);
  }
}

const NO_CONFIGS: ProviderConfigs = new Map();
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

/** Header names do not care about case: the later one replaces the earlier, however it is written. */
function setHeader(headers: Record<string, string>, name: string, value: string): void {
  const earlier = Object.keys(headers).find((existing) => existing.toLowerCase() === name.toLowerCase());
  if (earlier !== undefined) delete headers[earlier];
  headers[name] = value;
}
