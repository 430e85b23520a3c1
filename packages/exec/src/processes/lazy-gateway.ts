import type { EnvironmentRules } from "./child/child-environment.ts";
import type { ProcessGateway } from "./process-gateway.ts";

/** The process gateway of a session and its modules; loaded with the first child process. */
export class LazyGateway {
  readonly #rules: (() => EnvironmentRules) | undefined;
  #gateway: Promise<ProcessGateway> | undefined;
  #loaded: ProcessGateway | undefined;
  #isClosed = false;

  /** `rules` decides which of our variables children do not inherit. */
  constructor(rules?: () => EnvironmentRules) {
    this.#rules = rules;
  }

  /** The number of commands that have ended and left something running. */
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
    if (this.#isClosed) await gateway.killAll("shutdown", 0); // a late caller can no longer start anything
    return gateway;
  }

  async killAll(reason: "session_change" | "shutdown", graceMs?: number): Promise<void> {
    this.#isClosed ||= reason === "shutdown";
    await (await this.#gateway)?.killAll(reason, graceMs);
  }
}
