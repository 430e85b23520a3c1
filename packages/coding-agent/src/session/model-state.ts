import type { TurnSetup } from "@pintle/agent";
import { clampThinkingLevel, type Model, type ThinkingLevel } from "@pintle/ai";
import { MissingKeyError, type ModelRegistry } from "../config/model-registry.ts";
import type { Settings } from "../config/settings.ts";
import { SessionError } from "./session-error.ts";
import type { ModelReference } from "./storage/entries.ts";

export interface ModelStateParts {
  registry: Pick<ModelRegistry, "hasAuth" | "requestAuth" | "find" | "isUsable">;
  settings: Settings;
  model: Model;
  thinkingLevel: ThinkingLevel;
  /** Groups the requests of a conversation for the provider's cache. */
  cacheKey: () => string;
}

/** The current model and thinking level, and what a request to it needs. */
export class ModelState {
  readonly #parts: ModelStateParts;
  #model: Model;
  /** What was asked for; a model may not be able to follow, but the next one may. */
  #wantedLevel: ThinkingLevel;

  constructor(parts: ModelStateParts) {
    this.#parts = parts;
    this.#model = parts.model;
    this.#wantedLevel = parts.thinkingLevel;
  }

  get current(): Model {
    return this.#model;
  }

  /** As far as the model can follow. */
  get thinkingLevel(): ThinkingLevel {
    return clampThinkingLevel(this.#wantedLevel, this.#model);
  }

  select(model: Model): void {
    this.#model = model;
  }

  setThinkingLevel(level: ThinkingLevel): void {
    this.#wantedLevel = level;
  }

  /** Takes over what a session used last. Gives the reason when its model cannot be used any more. */
  restore(stored: { model?: ModelReference; thinkingLevel?: ThinkingLevel }): string | undefined {
    if (stored.thinkingLevel) this.#wantedLevel = stored.thinkingLevel;
    if (!stored.model) return undefined;
    const { provider, modelId } = stored.model;
    const model = this.#parts.registry.find(provider, modelId);
    if (model && this.#parts.registry.isUsable(model)) {
      this.#model = model;
      return undefined;
    }
    const reason = model ? "has no key" : "is not known";
    return `The session's model ${provider}/${modelId} ${reason}. Using ${this.#model.provider}/${this.#model.id}.`;
  }

  /** Throws what a prompt fails with when it cannot even be tried. */
  requireUsable(): void {
    if (this.#parts.registry.hasAuth(this.#model)) return;
    throw new SessionError("no_credentials", new MissingKeyError(this.#model.provider).message);
  }

  async forRequest(): Promise<Pick<TurnSetup, "model" | "options">> {
    const { registry, settings, cacheKey } = this.#parts;
    const model = this.#model;
    const options = {
      ...(await registry.requestAuth(model)),
      thinkingLevel: this.thinkingLevel,
      thinkingBudgets: this.#thinkingBudgets(),
      idleTimeoutMs: settings.get("stream.idleTimeoutMs"),
      sessionId: cacheKey(),
    };
    return { model, options };
  }

  #thinkingBudgets(): Partial<Record<ThinkingLevel, number>> {
    const levels = ["minimal", "low", "medium", "high", "xhigh"] as const;
    return Object.fromEntries(levels.map((level) => [level, this.#parts.settings.get(`thinkingBudgets.${level}`)]));
  }
}
