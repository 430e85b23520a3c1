import { type Model, supportedThinkingLevels, type ThinkingLevel } from "@pintle/ai";
import type { SessionManager } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";
import { toWireModel } from "../../config/models/wire-model.ts";
import type { SessionHooks } from "../session-hooks.ts";
import type { ModelState } from "./model-state.ts";

export interface ModelControlParts {
  models: ModelState;
  manager: () => SessionManager;
  emit: (event: AgentSessionEvent) => void;
  hooks: () => Pick<SessionHooks, "modelSelected" | "thinkingLevelSelected">;
  /** Throws if the model must not be chosen now. */
  admit(model: Model): void;
}

/** Changes the model and the thinking level. Each change is recorded in the conversation and announced. */
export class ModelControl {
  readonly #models: ModelState;
  readonly #manager: () => SessionManager;
  readonly #emit: (event: AgentSessionEvent) => void;
  readonly #hooks: () => Pick<SessionHooks, "modelSelected" | "thinkingLevelSelected">;

  readonly #admit: (model: Model) => void;

  constructor({ models, manager, emit, hooks, admit }: ModelControlParts) {
    this.#models = models;
    this.#manager = manager;
    this.#emit = emit;
    this.#hooks = hooks;
    this.#admit = admit;
  }

  async available(): Promise<Model[]> {
    await this.#models.discover();
    return this.#models.available();
  }

  /** Sets a model that may be known only after its local server was queried. */
  async discoverAndSet(provider: string, modelId: string): Promise<Model> {
    if (!this.#models.find(provider, modelId)) await this.#models.discover();
    return this.set(provider, modelId);
  }

  set(provider: string, modelId: string): Model {
    const model = this.#models.find(provider, modelId);
    if (model) this.#admit(model);
    return this.#change(() => this.#models.choose(provider, modelId), "set");
  }

  /** Selects the next model. Returns null if there is only one. */
  cycle(): { model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | null {
    const next = this.#change(() => this.#models.cycle(), "cycle");
    return next && { ...next, thinkingLevel: this.#models.thinkingLevel };
  }

  levels(): ThinkingLevel[] {
    return supportedThinkingLevels(this.#models.current);
  }

  setLevel(level: ThinkingLevel): void {
    this.#change(() => this.#models.setThinkingLevel(level), "set");
  }

  /** Selects the next thinking level. Returns undefined if the model does not support thinking. */
  cycleLevel(): ThinkingLevel | undefined {
    const levels = this.levels();
    if (levels.length < 2) return undefined;
    this.setLevel(levels[(levels.indexOf(this.#models.thinkingLevel) + 1) % levels.length] ?? "off");
    return this.#models.thinkingLevel;
  }

  /** Records model and level at the start of a new conversation. This alone creates no file. */
  recordFirst(): void {
    const manager = this.#manager();
    if (manager.leafId !== null || manager.isReadOnly) return;
    const { provider, id } = this.#models.current;
    manager.appendModelChange({ provider, modelId: id });
    manager.appendThinkingLevelChange(this.#models.thinkingLevel);
  }

  #change<T>(change: () => T, source: "set" | "cycle"): T {
    const before = { model: this.#models.current, level: this.#models.thinkingLevel };
    const result = change();
    const { current: model, thinkingLevel: level } = this.#models;
    if (model !== before.model) {
      this.#manager().appendModelChange({ provider: model.provider, modelId: model.id });
      this.#emit({ type: "model_changed", model: toWireModel(model) });
      this.#hooks().modelSelected({ model, previousModel: before.model, source });
    }
    if (level !== before.level) {
      this.#manager().appendThinkingLevelChange(level);
      this.#emit({ type: "thinking_level_changed", level, thinkingLevel: level });
      this.#hooks().thinkingLevelSelected({ level, previousLevel: before.level });
    }
    return result;
  }
}
