import type { BashExecutionMessage } from "@pintle/agent";
import type { Settings } from "../config/settings.ts";
import type { BashResult } from "../processes/bash-result.ts";
import type { ProcessGateway } from "../processes/process-gateway.ts";
import { Artifacts } from "./artifacts.ts";
import { BashRunner } from "./bash-runner.ts";

export interface SessionProcessesParts {
  settings: Settings;
  cwd: () => string;
  sessionFile: () => string | undefined;
  now: () => number;
}

/** The child processes of a session. The gateway is loaded with the first of them. */
export class SessionProcesses {
  readonly #bash: BashRunner;
  #gateway: Promise<ProcessGateway> | undefined;

  constructor({ settings, cwd, sessionFile, now }: SessionProcessesParts) {
    const artifacts = new Artifacts(sessionFile);
    this.#bash = new BashRunner({
      gateway: () => this.#open(),
      cwd,
      now,
      shell: () => ({ shellPath: settings.get("shellPath"), shellPrefix: settings.get("shellCommandPrefix") }),
      spill: () => ({ newPath: () => artifacts.newPath("bash"), maxBytes: settings.get("tools.maxSpillBytes") }),
    });
  }

  runBash(command: string, record: (message: BashExecutionMessage) => void): Promise<BashResult> {
    return this.#bash.run(command, record);
  }

  abortBash(): void {
    this.#bash.abort();
  }

  /** Ends what is still running in the background. */
  async end(reason: "session_change" | "shutdown", graceMs?: number): Promise<void> {
    await (await this.#gateway)?.killAll(reason, graceMs);
  }

  #open(): Promise<ProcessGateway> {
    this.#gateway ??= import("../processes/process-gateway.ts").then(
      ({ ProcessGateway }) => new ProcessGateway({ environment: process.env }),
    );
    return this.#gateway;
  }
}
