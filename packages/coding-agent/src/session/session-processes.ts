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
  readonly #artifacts: Artifacts;
  #gateway: Promise<ProcessGateway> | undefined;

  constructor({ settings, cwd, sessionFile, now }: SessionProcessesParts) {
    this.#artifacts = new Artifacts(sessionFile);
    this.#bash = new BashRunner({
      gateway: () => this.gateway(),
      cwd,
      now,
      shell: () => ({ shellPath: settings.get("shellPath"), shellPrefix: settings.get("shellCommandPrefix") }),
      spill: () => ({ newPath: () => this.newSpillPath("bash"), maxBytes: settings.get("tools.maxSpillBytes") }),
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

  /** A new private file for a tool's output. */
  newSpillPath(tool: string): Promise<string> {
    return this.#artifacts.newPath(tool);
  }

  gateway(): Promise<ProcessGateway> {
    this.#gateway ??= import("../processes/process-gateway.ts").then(
      ({ ProcessGateway }) => new ProcessGateway({ environment: process.env }),
    );
    return this.#gateway;
  }
}
