import { type Model, supportedThinkingLevels, type ThinkingLevel } from "@pintle/ai";
import { toWireModel } from "../config/wire-model.ts";
import type { ModelState } from "./model-state.ts";
import type { AgentSessionEvent } from "./session-events.ts";
import type { SessionManager } from "./storage/session-manager.ts";

/** Changes of model and thinking level: each is recorded in the conversation and announced. */
export class ModelControl {
  readonly #models: ModelState;
  readonly #manager: () => SessionManager;
  readonly #emit: (event: AgentSessionEvent) => void;

  constructor(models: ModelState, manager: () => SessionManager, emit: (event: AgentSessionEvent) => void) {
    this.#models = models;
    this.#manager = manager;
    this.#emit = emit;
  }

  available(): Model[] {
    return this.#models.available();
  }

  set(provider: string, modelId: string): Model {
    return this.#change(() => this.#models.choose(provider, modelId));
  }

  /** null: there is nothing to cycle through. */
  cycle(): { model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | null {
    const next = this.#change(() => this.#models.cycle());
    return next && { ...next, thinkingLevel: this.#models.thinkingLevel };
  }

  levels(): ThinkingLevel[] {
    return supportedThinkingLevels(this.#models.current);
  }

  setLevel(level: ThinkingLevel): void {
    this.#change(() => this.#models.setThinkingLevel(level));
  }

  /** undefined: the model cannot think. */
  cycleLevel(): ThinkingLevel | undefined {
    const levels = this.levels();
    if (levels.length < 2) return undefined;
    this.setLevel(levels[(levels.indexOf(this.#models.thinkingLevel) + 1) % levels.length] ?? "off");
    return this.#models.thinkingLevel;
  }

  /** Opens a new conversation's history; alone it makes no file. */
  recordFirst(): void {
    const manager = this.#manager();
    if (manager.leafId !== null || manager.isReadOnly) return;
    const { provider, id } = this.#models.current;
    manager.appendModelChange({ provider, modelId: id });
    manager.appendThinkingLevelChange(this.#models.thinkingLevel);
  }

  #change<T>(change: () => T): T {
    const before = { model: this.#models.current, level: this.#models.thinkingLevel };
    const result = change();
    const { current: model, thinkingLevel: level } = this.#models;
    if (model !== before.model) {
      this.#manager().appendModelChange({ provider: model.provider, modelId: model.id });
      this.#emit({ type: "model_changed", model: toWireModel(model) });
    }
    if (level !== before.level) {
      this.#manager().appendThinkingLevelChange(level);
      this.#emit({ type: "thinking_level_changed", level, thinkingLevel: level });
    }
    return result;
  }
}
