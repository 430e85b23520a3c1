import type { GatewaySession, RpcEvent } from "@pintle/client/core";
import { Cell, type ReadonlyCell } from "./cell.ts";
import { growOutput } from "./shell-output.ts";

/** A command of a user that is at work. */
export interface ShellRun {
  /** undefined: it was started elsewhere, and only its output is known here. */
  readonly command: string | undefined;
  readonly startedAt: number;
  output: string;
}

/** The user's own commands, for as long as they run: what came of one is an entry of the session before it is answered. */
export class ShellRuns {
  readonly #rpc: Pick<GatewaySession, "bash" | "abortBash">;
  /** Set anew when one begins, writes or ends. */
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

  /** One that was sent from here. */
  get hasOwn(): boolean {
    return this.#runs.value.some(({ command }) => command !== undefined);
  }

  /** `isHidden`: the model does not see it. Rejects when it could not be run. */
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

  /** They run one after the other: what is written is of the first. */
  #grow(delta: string): void {
    const run = this.#runs.value[0] ?? this.#begin(undefined);
    run.output = growOutput(run.output, delta);
    this.#runs.set([...this.#runs.value]);
  }

  /** Their ends may have been missed; one that is still at work writes again. */
  #forgetOthers(): void {
    this.#runs.set(this.#runs.value.filter(({ command }) => command !== undefined));
  }

  /** What is read in the conversation need not stand here. */
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
