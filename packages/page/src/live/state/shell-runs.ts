import type { GatewaySession, RpcEvent } from "@pintle/client/core";
import { Cell, type ReadonlyCell } from "./cell.ts";
import { growOutput } from "./shell-output.ts";

/** A running user command. */
export interface ShellRun {
  /** Undefined if it was started elsewhere, and only its output is known here. */
  readonly command: string | undefined;
  readonly startedAt: number;
  output: string;
}

/** The user's commands while they run. The result of a command is stored as an entry before its response arrives. */
export class ShellRuns {
  readonly #rpc: Pick<GatewaySession, "bash" | "abortBash">;
  /** Updated when one starts, writes or ends. */
  readonly #runs = new Cell<readonly ShellRun[]>([]);

  constructor(rpc: Pick<GatewaySession, "bash" | "abortBash">) {
    this.#rpc = rpc;
  }

  get runs(): ReadonlyCell<readonly ShellRun[]> {
    return this.#runs;
  }

  get isAtWork(): boolean {
    return this.#runs.value.length > 0;
  }

  /** A command that this page sent. */
  get hasOwn(): boolean {
    return this.#runs.value.some(({ command }) => command !== undefined);
  }

  /** `isHidden`: the model does not see it. Rejects if the command could not be run. */
  async run(command: string, isHidden: boolean): Promise<void> {
    const run = this.#begin(command);
    try {
      await this.#rpc.bash(command, isHidden ? { excludeFromContext: true } : {});
    } finally {
      this.#end(run);
    }
  }

  stop(): Promise<unknown> {
    return this.#rpc.abortBash();
  }

  apply(event: RpcEvent): void {
    if (event.type === "bash_execution_update") this.#grow(event.delta);
    else if (event.type === "entry_appended") this.#stored(event.entry);
    else if (event.type === "session_snapshot") this.#forgetOthers();
    else if (event.type === "worker_exited") this.#runs.set([]);
  }

  /** Commands run one after another, so output belongs to the first. */
  #grow(delta: string): void {
    const run = this.#runs.value[0] ?? this.#begin(undefined);
    run.output = growOutput(run.output, delta);
    this.#runs.set([...this.#runs.value]);
  }

  /** Forgets all commands, because their ends may have been missed; a running one writes again. */
  #forgetOthers(): void {
    this.#runs.set(this.#runs.value.filter(({ command }) => command !== undefined));
  }

  /** Commands that are in the conversation need not be shown here. */
  #stored(entry: Entry): void {
    const { role, command } = (entry as { message?: { role?: unknown; command?: unknown } }).message ?? {};
    if (role !== "bashExecution") return;
    const run = this.#runs.value.find((other) => other.command === command || other.command === undefined);
    if (run) this.#end(run);
  }

  #begin(command: string | undefined): ShellRun {
    const run = { command, startedAt: Date.now(), output: "" };
    this.#runs.set([...this.#runs.value, run]);
    return run;
  }

  #end(run: ShellRun): void {
    this.#runs.set(this.#runs.value.filter((other) => other !== run));
  }
}

type Entry = Extract<RpcEvent, { type: "entry_appended" }>["entry"];
