import type { EnvironmentRules } from "./child/child-environment.ts";
import type { ProcessGateway } from "./process-gateway.ts";

/** The gateway of a session and of the modules that belong to it; loaded with the first child process. */
export class LazyGateway {
  readonly #rules: (() => EnvironmentRules) | undefined;
  #gateway: Promise<ProcessGateway> | undefined;
  #loaded: ProcessGateway | undefined;
  #isClosed = false;

  /** `rules` says what of our environment is kept from children. */
  constructor(rules?: () => EnvironmentRules) {
    this.#rules = rules;
  }

  /** Commands that have ended and left something running. */
  get leftBehind(): number {
    return this.#loaded?.leftBehind ?? 0;
  }

  open(): Promise<ProcessGateway> {
    this.#gateway ??= this.#load();
    return this.#gateway;
  }

  async #load(): Promise<ProcessGateway> {
    const { ProcessGateway } = await import("./process-gateway.ts");
    const gateway = new ProcessGateway({ environment: process.env, rules: this.#rules });
    this.#loaded = gateway;
    if (this.#isClosed) await gateway.killAll("shutdown", 0); // who comes too late starts nothing any more
    return gateway;
  }

  async killAll(reason: "session_change" | "shutdown", graceMs?: number): Promise<void> {
    this.#isClosed ||= reason === "shutdown";
    await (await this.#gateway)?.killAll(reason, graceMs);
  }
}
