import type { TurnSetup } from "@pintle/agent";
import { clampThinkingLevel, type Model, offlineModel, type ThinkingLevel } from "@pintle/ai";
import { type ModelReference, SessionError } from "@pintle/storage";
import { StoredKeyError } from "../../config/keys/stored-key-error.ts";
import { matchModel } from "../../config/models/model-pattern.ts";
import { MissingKeyError, type ModelRegistry } from "../../config/models/model-registry.ts";
import type { Settings } from "../../config/settings/settings.ts";

export interface ScopedModel {
  model: Model;
  thinkingLevel?: ThinkingLevel;
}

export interface ModelStateParts {
  registry: Pick<
    ModelRegistry,
    | "hasAuth"
    | "requestAuth"
    | "find"
    | "recall"
    | "keySource"
    | "lackOf"
    | "isUsable"
    | "getAvailable"
    | "refresh"
    | "missingPackage"
    | "discoverLocal"
    | "discovered"
    | "knownSecrets"
    | "changeKey"
    | "providers"
  >;
  settings: Settings;
  model: Model;
  thinkingLevel: ThinkingLevel;
  /** The models to cycle through; if empty or absent, all models. */
  scope?: readonly ScopedModel[];
  /** Groups the requests of a conversation for the provider's cache. */
  cacheKey: () => string;
}

/** The current model and thinking level, and what a request to it needs. */
export class ModelState {
  readonly #parts: ModelStateParts;
  #model: Model;
  /** Replaces the chosen model temporarily. */
  #fallback: Model | undefined;
  /** The requested level; the current model may not support it, but the next one may. */
  #wantedLevel: ThinkingLevel;

  constructor(parts: ModelStateParts) {
    this.#parts = parts;
    this.#model = parts.model;
    this.#wantedLevel = parts.thinkingLevel;
  }

  get current(): Model {
    return this.#fallback ?? this.#model;
  }

  /** The requested level, limited to what the model supports. */
  get thinkingLevel(): ThinkingLevel {
    return clampThinkingLevel(this.#wantedLevel, this.current);
  }

  /** Uses another model without changing the user's choice; undefined returns to the chosen one. */
  fallBackTo(model: Model | undefined): void {
    this.#fallback = model;
  }

  hasProvider(id: string): boolean {
    return this.#parts.registry.providers().some((provider) => provider.id === id);
  }

  /** Stores the key of a provider for this and all later processes; undefined removes it. */
  async changeKey(provider: string, key: string | undefined): Promise<void> {
    try {
      await this.#parts.registry.changeKey(provider, key);
    } catch (error) {
      if (!(error instanceof StoredKeyError)) throw error;
      throw new SessionError(error.isMissing ? "not_found" : "invalid_request", error.message);
    }
  }

  /** Returns the models with usable credentials; the offline model is last. */
  available(): Model[] {
    return this.#parts.registry.getAvailable();
  }

  /** Searches for local servers if the settings allow it, and waits for searches that are already in progress. */
  async discover(): Promise<void> {
    const { registry, settings } = this.#parts;
    if (settings.get("models.probeLocal")) await registry.discoverLocal();
    else await registry.discovered();
  }

  /** Returns undefined if no such model is known now. */
  find(provider: string, modelId: string): Model | undefined {
    this.#parts.registry.refresh();
    return this.#parts.registry.find(provider, modelId);
  }

  choose(provider: string, modelId: string): Model {
    const { registry } = this.#parts;
    const model = this.find(provider, modelId);
    if (!model) throw new SessionError("not_found", `Model not found: ${provider}/${modelId}`);
    const missing = registry.missingPackage(model);
    if (missing !== undefined) throw new SessionError("invalid_request", `${provider} needs the package ${missing}`);
    if (!registry.isUsable(model)) throw new SessionError("no_credentials", `No API key for ${provider}/${modelId}`);
    this.#become(model);
    return model;
  }

  /** The models that the user chose to cycle through; empty without a choice. */
  get scope(): readonly ScopedModel[] {
    return this.#parts.scope ?? [];
  }

  /**
   * Returns the next model of the scope, or of all usable ones except the offline model. Returns null if there is no
   * other.
   */
  cycle(): { model: Model; isScoped: boolean } | null {
    const { scope } = this;
    const isScoped = scope.length > 0;
    const choices: ScopedModel[] = isScoped
      ? [...scope]
      : this.available()
          .filter((model) => model.provider !== offlineModel.provider)
          .map((model) => ({ model }));
    if (choices.length < 2) return null;
    const at = choices.findIndex(({ model }) => model.provider === this.#model.provider && model.id === this.#model.id);
    const next = choices[(at + 1) % choices.length]!;
    this.#become(next.model);
    if (next.thinkingLevel) this.#wantedLevel = next.thinkingLevel;
    return { model: next.model, isScoped };
  }

  setThinkingLevel(level: ThinkingLevel): void {
    this.#wantedLevel = level;
  }

  /** Restores the model and level that a session used last. Returns the reason if the model is no longer usable. */
  restore(stored: { model?: ModelReference; thinkingLevel?: ThinkingLevel }): string | undefined {
    if (stored.thinkingLevel) this.#wantedLevel = stored.thinkingLevel;
    if (!stored.model) return undefined;
    const { provider, modelId } = stored.model;
    const model = this.#parts.registry.recall(provider, modelId);
    if (model && this.#parts.registry.isUsable(model)) {
      this.#become(model);
      return undefined;
    }
    const reason = model ? this.#parts.registry.lackOf(model) : "is unknown.";
    return `The session's model ${provider}/${modelId} ${reason} Using ${this.#model.provider}/${this.#model.id}.`;
  }

  /** Throws the error of a prompt that cannot even be tried. */
  requireUsable(): void {
    this.#parts.registry.refresh(); // a key may have been added or removed meanwhile
    if (this.#parts.registry.hasAuth(this.current)) return;
    throw new SessionError("no_credentials", new MissingKeyError(this.current.provider).message);
  }

  async forRequest(): Promise<Pick<TurnSetup, "model" | "options">> {
    const model = this.current;
    const options = {
      ...(await this.accessTo(model)),
      thinkingLevel: this.thinkingLevel,
      thinkingBudgets: this.#thinkingBudgets(),
    };
    return { model, options };
  }

  /** Returns what a request to any model needs. Throws MissingKeyError. */
  async accessTo(model: Model) {
    const { registry, settings, cacheKey } = this.#parts;
    const keySource = registry.keySource(model.provider);
    return {
      ...(await registry.requestAuth(model)),
      ...(keySource !== undefined && { keySource }),
      idleTimeoutMs: settings.get("stream.idleTimeoutMs"),
      totalTimeoutMs: settings.get("stream.totalTimeoutMs"),
      maxAnswerChars: settings.get("stream.maxAnswerChars"),
      sessionId: cacheKey(),
    };
  }

  /** Returns the secrets that must not appear in an exported page. */
  knownSecrets(): string[] {
    const { registry, settings } = this.#parts;
    return registry.knownSecrets(settings.get("env.withhold"));
  }

  /** Returns the models that may write summaries: the configured one, if it is usable, then the session's own. */
  summaryModels(): Model[] {
    const { settings, registry } = this.#parts;
    const pattern = settings.get("compaction.model");
    const named = pattern ? matchModel(pattern, { models: registry.getAvailable() }) : undefined;
    return named ? [named, this.current] : [this.current];
  }

  /** Returns the model of `session.titleModel`. Throws if no available model matches. */
  titleModel(): Model {
    const { settings, registry } = this.#parts;
    const pattern = settings.get("session.titleModel") ?? "";
    const named = matchModel(pattern, { models: registry.getAvailable() });
    if (!named) throw new SessionError("not_found", `session.titleModel names no available model: ${pattern}`);
    return named;
  }

  #become(model: Model): void {
    this.#model = model;
    this.#fallback = undefined;
  }

  /** Returns the budgets that the user has set; each family of models has its own defaults. */
  #thinkingBudgets(): Partial<Record<ThinkingLevel, number>> {
    const levels = ["minimal", "low", "medium", "high", "xhigh", "max"] as const;
    const budgets = levels.map((level) => [level, this.#parts.settings.get(`thinkingBudgets.${level}`)] as const);
    return Object.fromEntries(budgets.filter(([, budget]) => budget !== undefined));
  }
}
