import type { TurnSetup } from "@pintle/agent";
import { clampThinkingLevel, type Model, type ThinkingLevel } from "@pintle/ai";
import { MissingKeyError, type ModelRegistry } from "../config/model-registry.ts";
import type { Settings } from "../config/settings.ts";
import { SessionError } from "./session-error.ts";

/** Asked for every request, so a rotated key counts at once. */
type Credentials = Pick<ModelRegistry, "hasAuth" | "requestAuth">;

/** The current model and thinking level, and what a request to it needs. */
export class ModelState {
  readonly #credentials: Credentials;
  readonly #settings: Settings;
  readonly #sessionId: string;
  #model: Model | undefined;
  #thinkingLevel: ThinkingLevel;

  constructor(
    credentials: Credentials,
    settings: Settings,
    chosen: { model: Model | undefined; thinkingLevel: ThinkingLevel; sessionId: string },
  ) {
    this.#credentials = credentials;
    this.#settings = settings;
    this.#model = chosen.model;
    this.#thinkingLevel = chosen.thinkingLevel;
    this.#sessionId = chosen.sessionId;
  }

  get current(): Model | undefined {
    return this.#model;
  }

  /** As far as the model can follow. */
  get thinkingLevel(): ThinkingLevel {
    return this.#model ? clampThinkingLevel(this.#thinkingLevel, this.#model) : "off";
  }

  /** Throws what a prompt fails with when it cannot even be tried. */
  requireUsable(): Model {
    const model = this.#model;
    if (!model)
      throw new SessionError("no_credentials", "No model selected.\nChoose one with --model or set a provider's key.");
    if (!this.#credentials.hasAuth(model)) {
      throw new SessionError("no_credentials", new MissingKeyError(model.provider).message);
    }
    return model;
  }

  async forRequest(): Promise<Pick<TurnSetup, "model" | "options">> {
    const model = this.requireUsable();
    const auth = await this.#credentials.requestAuth(model);
    const options = {
      ...auth,
      thinkingLevel: this.thinkingLevel,
      thinkingBudgets: this.#thinkingBudgets(),
      idleTimeoutMs: this.#settings.get("stream.idleTimeoutMs"),
      sessionId: this.#sessionId,
    };
    return { model, options };
  }

  #thinkingBudgets(): Partial<Record<ThinkingLevel, number>> {
    const levels = ["minimal", "low", "medium", "high", "xhigh"] as const;
    return Object.fromEntries(levels.map((level) => [level, this.#settings.get(`thinkingBudgets.${level}`)]));
  }
}
