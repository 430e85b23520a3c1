import type { BashExecutionMessage } from "@pintle/agent";
import type { LazyProcessRunner, LazySandbox } from "@pintle/exec";
import type { ProcessRunner } from "@pintle/exec/processes";
import type { BashResult } from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import type { SessionHooks } from "../session-hooks.ts";
import { Artifacts, artifactLimits } from "./artifacts.ts";
import { type BashRequest, BashRunner } from "./bash-runner.ts";

export interface SessionProcessesParts {
  settings: Settings;
  processRunner: LazyProcessRunner;
  sandbox?: Pick<LazySandbox, "for"> | undefined;
  cwd: () => string;
  sessionFile: () => string | undefined;
  now: () => number;
  hooks: () => Pick<SessionHooks, "userBash">;
  /** Returns a function that records messages in the session that is open now, even after another one is opened. */
  recorder(): (message: BashExecutionMessage) => void;
}

/** The child processes of a session. */
export class SessionProcesses {
  readonly #bash: BashRunner;
  readonly #artifacts: Artifacts;
  readonly #processRunner: LazyProcessRunner;
  readonly #recorder: SessionProcessesParts["recorder"];

  constructor({ settings, processRunner, sandbox, cwd, sessionFile, now, hooks, recorder }: SessionProcessesParts) {
    this.#processRunner = processRunner;
    this.#recorder = recorder;
    this.#artifacts = new Artifacts(sessionFile, () => artifactLimits(settings));
    this.#bash = new BashRunner({
      processRunner: () => this.processRunner(),
      sandbox: async () => sandbox?.for("user"),
      cwd,
      now,
      hooks,
      shell: () => ({ shellPath: settings.get("shellPath"), shellPrefix: settings.get("shellCommandPrefix") }),
      spill: () => ({ newPath: () => this.newSpillPath("bash"), maxBytes: settings.get("tools.maxSpillBytes") }),
    });
  }

  /** Runs a command of the user alongside the agent. Its output is stored in the session in which it was started. */
  runBash(request: BashRequest): Promise<BashResult> {
    return this.#bash.run(request, this.#recorder());
  }

  abortBash(): void {
    this.#bash.abort();
  }

  /** The number of ended commands whose child processes are still running. */
  get leftBehind(): number {
    return this.#processRunner.leftBehind;
  }

  /** The same, checked now: `leftBehind` includes a command that has just ended. */
  checkLeftBehind(): number {
    return this.#processRunner.checkLeftBehind();
  }

  /** Ends everything that still runs in the background. */
  async end(reason: "session_change" | "shutdown", graceMs?: number): Promise<void> {
    await this.#processRunner.killAll(reason, graceMs);
    if (reason !== "shutdown") return;
    this.#bash.abort(); // what an extension runs in its own way is not a child process of pintle
    await this.#bash.settled(); // their last output belongs to the session, which is closed next
    await this.#artifacts.dispose();
  }

  /** Returns a new private file for a tool's output. */
  newSpillPath(tool: string): Promise<string> {
    return this.#artifacts.newPath(tool);
  }

  /** Returns the private temporary directory of a session in memory. */
  scratch(): Promise<string> {
    return this.#artifacts.scratch();
  }

  processRunner(): Promise<ProcessRunner> {
    return this.#processRunner.open();
  }
}
