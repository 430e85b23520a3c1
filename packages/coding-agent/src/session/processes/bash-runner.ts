import type { BashExecutionMessage } from "@pintle/agent";
import { unlessAborted } from "@pintle/ai";
import { StartError } from "@pintle/exec";
import type { ProcessRunner } from "@pintle/exec/processes";
import type { Sandbox } from "@pintle/exec/sandbox";
import { SessionError } from "@pintle/storage";
import type { BashResult } from "@pintle/wire";
import type { SessionHooks } from "../session-hooks.ts";
import type { OutputListener } from "./output-pieces.ts";

export interface BashRunnerParts {
  processRunner: () => Promise<ProcessRunner>;
  /** Returns undefined if the user's commands run without confinement. */
  sandbox: () => Promise<Pick<Sandbox, "wrap"> | undefined>;
  cwd: () => string;
  shell: () => { shellPath?: string | undefined; shellPrefix?: string | undefined };
  /** Where to store output that is too long for an answer. */
  spill: () => { newPath(): string | Promise<string>; maxBytes: number };
  now: () => number;
  /** Hooks through which an extension may run the command in its own way. */
  hooks: () => Pick<SessionHooks, "userBash">;
}

export interface BashRequest {
  command: string;
  /** Stores the output in the history but does not send it to the model. */
  excludeFromContext?: boolean | undefined;
  /** Receives the output as it arrives. */
  onOutput?: OutputListener | undefined;
}

/** Runs commands of the user in the session, alongside the agent. */
export class BashRunner {
  readonly #parts: BashRunnerParts;
  readonly #running = new Map<AbortController, Promise<void>>();

  constructor(parts: BashRunnerParts) {
    this.#parts = parts;
  }

  /** Runs a command. `record` receives the message for the conversation in which the command was started. */
  run(request: BashRequest, record: (message: BashExecutionMessage) => void): Promise<BashResult> {
    const stop = new AbortController();
    const result = this.#run(request, record, stop.signal).finally(() => this.#running.delete(stop));
    this.#running.set(
      stop,
      result.then(
        () => {},
        () => {},
      ),
    );
    return result;
  }

  /** Starts to kill all commands. Each still ends with its own result. */
  abort(): void {
    for (const stop of this.#running.keys()) stop.abort();
  }

  /** Resolves when all current commands have ended and are recorded. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #run(
    { command, excludeFromContext = false, onOutput }: BashRequest,
    record: (message: BashExecutionMessage) => void,
    signal: AbortSignal,
  ): Promise<BashResult> {
    const cwd = this.#parts.cwd();
    const note = (answer: BashResult) =>
      record({ ...toMessage(command, answer, this.#parts.now()), ...(excludeFromContext && { excludeFromContext }) });
    // Extensions may take long to answer; an abort does not wait for them.
    const asked = this.#parts.hooks().userBash({ command, excludeFromContext, cwd });
    const answered = await unlessAborted(
      asked.then((instead) => ({ instead })),
      signal,
    );
    if (!answered) return CANCELLED_BASH;
    const { instead } = answered;
    if (instead && "result" in instead) {
      note(instead.result);
      return instead.result;
    }
    // Loaded with the first command: most hosts never send one.
    const [{ byExtension, onThisMachine }, { BASH_LIMITS, toBashResult }, processRunner, sandbox, pieces] =
      await Promise.all([
        import("../../tools/bash/run-command.ts"),
        import("@pintle/exec/processes"),
        this.#parts.processRunner(),
        this.#parts.sandbox(),
        onOutput && import("./output-pieces.ts").then(({ OutputPieces }) => new OutputPieces(onOutput)),
      ]);
    const wrap = sandbox && ((start: Parameters<typeof sandbox.wrap>[0]) => sandbox.wrap(start));
    const runCommand = instead
      ? byExtension(instead.operations)
      : onThisMachine(processRunner, { wrap, ...this.#parts.shell() });
    const request = { command, cwd, signal, limits: BASH_LIMITS, spill: this.#parts.spill(), onChunk: pieces?.onChunk };
    const result = await runCommand(request).catch(notStarted);
    if (!result) return CANCELLED_BASH;
    pieces?.end();
    const answer = toBashResult(result);
    note(answer);
    return answer;
  }
}

/** The result of a command that was cancelled before it could start. */
export const CANCELLED_BASH: BashResult = {
  output: "Command cancelled",
  cancelled: true,
  truncated: false,
  totalLines: 0,
  totalBytes: 0,
  outputLines: 1,
  outputBytes: "Command cancelled".length,
};

/** Returns undefined if the session is ending. Otherwise throws the reason for the user. */
function notStarted(error: unknown): undefined {
  if (!(error instanceof StartError)) throw error;
  if (error.code !== "runner_closed") throw new SessionError("invalid_request", error.message);
}

function toMessage(command: string, answer: BashResult, timestamp: number): BashExecutionMessage {
  const { output, exitCode, cancelled, truncated, fullOutputPath } = answer;
  return {
    role: "bashExecution",
    command,
    output,
    ...(exitCode !== undefined && { exitCode }),
    cancelled,
    truncated,
    ...(fullOutputPath !== undefined && { meta: { fullOutputPath } }),
    timestamp,
  };
}
