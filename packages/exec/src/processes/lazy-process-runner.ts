import type { EnvironmentRules } from "./child/child-environment.ts";
import type { ProcessRunner } from "./process-runner.ts";

/** The process runner of a session and its modules; loaded with the first child process. */
export class LazyProcessRunner {
  readonly #rules: (() => EnvironmentRules) | undefined;
  #processRunner: Promise<ProcessRunner> | undefined;
  #loaded: ProcessRunner | undefined;
  #isClosed = false;

  /** `rules` decides which of our variables children do not inherit. */
  constructor(rules?: () => EnvironmentRules) {
    this.#rules = rules;
  }

  /** The number of commands that have ended and left something running. */
  get leftBehind(): number {
    return this.#loaded?.leftBehind ?? 0;
  }

  /** The same, checked now: `leftBehind` includes a command that has just ended. */
  checkLeftBehind(): number {
    return this.#loaded?.checkLeftBehind() ?? 0;
  }

  open(): Promise<ProcessRunner> {
    this.#processRunner ??= this.#load();
    return this.#processRunner;
  }

  async #load(): Promise<ProcessRunner> {
    const { ProcessRunner } = await import("./process-runner.ts");
    const processRunner = new ProcessRunner({ environment: process.env, rules: this.#rules });
    this.#loaded = processRunner;
    if (this.#isClosed) await processRunner.killAll("shutdown", 0); // a late caller can no longer start anything
    return processRunner;
  }

  async killAll(reason: "session_change" | "shutdown", graceMs?: number): Promise<void> {
    this.#isClosed ||= reason === "shutdown";
    await (await this.#processRunner)?.killAll(reason, graceMs);
  }
}
