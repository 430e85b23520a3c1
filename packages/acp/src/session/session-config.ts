import { delay } from "@pintle/ai";
import type { Model, RpcSessionState } from "@pintle/client/core";
import type { AcpClient } from "../client/acp-client.ts";
import type { Frame } from "../gateway-link.ts";
import { type ConfigFacts, configCommand, configOptions, modeCommand, modeState } from "./config-options.ts";

/** Listing models asks local servers. A session waits only this long for one that does not answer. */
const MODELS_MS = 2_000;

export interface SessionConfigParts {
  client: AcpClient;
  request<T>(command: Frame): Promise<T>;
  state: RpcSessionState;
  sandboxMode: string;
}

/** Owns the client's options as last sent, so that nothing is sent twice. */
export class SessionConfig {
  readonly #parts: SessionConfigParts;
  #facts: ConfigFacts;
  #lastSent = "";
  #isStale = false;
  #refreshing: Promise<void> | undefined;

  constructor(parts: SessionConfigParts) {
    this.#parts = parts;
    this.#facts = { state: parts.state, models: [], thinkingLevels: [], sandboxMode: parts.sandboxMode };
  }

  get state(): RpcSessionState {
    return this.#facts.state;
  }

  /** Returns the modes and options for the response that opens the session. */
  async introduce(): Promise<{ modes: ReturnType<typeof modeState>; configOptions: ReturnType<typeof configOptions> }> {
    const models = this.#loadModels();
    models.catch(() => {}); // options that arrive too late are sent with the next prompt
    const isOver = new AbortController();
    await Promise.all([this.#read(), Promise.race([models, delay(MODELS_MS, isOver.signal)])]);
    isOver.abort();
    return { modes: modeState(this.#facts), configOptions: this.#options() };
  }

  async choose(configId: string, value: unknown): Promise<ReturnType<typeof configOptions>> {
    await this.#parts.request(configCommand(configId, value, this.#facts));
    if (configId === "sandbox") this.#facts = { ...this.#facts, sandboxMode: String(value) };
    await this.#read();
    return this.#options();
  }

  async setMode(modeId: string): Promise<void> {
    await this.#parts.request(modeCommand(modeId));
  }

  /** Called when the engine's values have changed. Several changes at once are read together. */
  changed(): void {
    this.#isStale = true;
    this.#refreshing ??= this.#refresh()
      .catch(() => {}) // the engine has ended, which is reported separately
      .finally(() => {
        this.#refreshing = undefined;
      });
  }

  async #refresh(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#read();
    }
    this.#tell();
  }

  async #read(): Promise<void> {
    const { request } = this.#parts;
    const [state, { levels }] = await Promise.all([
      request<RpcSessionState>({ type: "get_state" }),
      request<{ levels: string[] }>({ type: "get_available_thinking_levels" }),
    ]);
    this.#facts = { ...this.#facts, state, thinkingLevels: levels };
  }

  async #loadModels(): Promise<void> {
    const { models } = await this.#parts.request<{ models: Model[] }>({ type: "get_available_models" });
    this.#facts = { ...this.#facts, models };
    if (this.#lastSent !== "") this.#tell(); // the options arrived late
  }

  #options(): ReturnType<typeof configOptions> {
    const options = configOptions(this.#facts);
    this.#lastSent = JSON.stringify(options);
    return options;
  }

  #tell(): void {
    const before = this.#lastSent;
    const options = this.#options();
    if (this.#lastSent !== before)
      this.#parts.client.update({ sessionUpdate: "config_option_update", configOptions: options });
  }
}
