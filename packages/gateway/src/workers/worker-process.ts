import { delay, errorText } from "@pintle/ai";
import { JsonlReader, type ReadyFrame } from "@pintle/wire";
import { killTree } from "./process-tree.ts";
import type { WorkerSpec } from "./worker-spec.ts";

export interface WorkerExit {
  code: number | null;
  signal: string | null;
  stderrTail: string;
}

export interface WorkerListener {
  /** Called with each frame of the worker, in order. */
  onLine(line: string): void;
  /** Returns a promise while no more output should be read. */
  backPressure?(): Promise<void> | undefined;
  /** Called once, after the last line. */
  onExit(exit: WorkerExit): void;
}

/** The command that starts engines. */
export interface WorkerCommand {
  /** The program and the arguments before its flags. */
  command: readonly string[];
  /** Flags of every engine. */
  commonArgs: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
}

/** How long a worker whose stdin was closed may take before it is killed. */
const END_GRACE_MS = 15_000;
/** How long to wait for the remaining output of an ended process: a grandchild may hold the pipe open. */
const LINGER_MS = 500;
const READY_PREFIX = '{"type":"ready"';

/** Thrown if an engine ended before it was ready. Its stderr contains the reason. */
export class WorkerStartError extends Error {
  readonly exitCode: number | null;

  constructor(text: string, exitCode: number | null) {
    super(text);
    this.exitCode = exitCode;
  }
}

/** One engine process: lines in, lines out. Buffers its output until there is a listener. */
export class WorkerProcess {
  /** Rejects with WorkerStartError if the process ends before it is ready. */
  readonly ready: Promise<ReadyFrame>;
  /** Never rejects. */
  readonly exited: Promise<WorkerExit>;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #stderr = new StderrTail();
  readonly #ready = Promise.withResolvers<ReadyFrame>();
  #listener: WorkerListener | undefined;
  #kept: string[] = [];
  #exit: WorkerExit | undefined;
  #isInputClosed = false;
  /** When the worker last wrote anything, on the clock of `performance.now`. */
  lastHeard = performance.now();
  /** True while a host that does not read blocks the worker's output. */
  isHeldBack = false;

  constructor({ command, commonArgs, env }: WorkerCommand, spec: WorkerSpec) {
    this.ready = this.#ready.promise;
    this.ready.catch(() => {}); // reported to those who need it; a spare worker may have no listener yet
    this.#child = Bun.spawn([...command, "--mode", "rpc", ...commonArgs, ...spec.args], {
      cwd: spec.cwd,
      env: { ...env, ...spec.env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true, // in its own group, so that signals of the gateway's terminal reach only the gateway
    });
    this.exited = this.#watch();
  }

  get pid(): number {
    return this.#child.pid;
  }

  get isInputClosed(): boolean {
    return this.#isInputClosed;
  }

  /** Passes on the buffered lines and everything that follows. */
  listen(listener: WorkerListener): void {
    this.#listener = listener;
    const kept = this.#kept;
    this.#kept = [];
    for (const line of kept) listener.onLine(line);
    if (this.#exit) listener.onExit(this.#exit);
  }

  /** Sends one frame, given without its LF. Does nothing if the worker has ended: its exit is reported. */
  send(line: string): void {
    if (this.#isInputClosed || this.#exit) return;
    const { stdin } = this.#child;
    void Promise.try(() => Promise.all([stdin.write(`${line}\n`), stdin.flush()])).catch(() => {}); // a broken pipe is followed by the exit
  }

  /** Closes stdin, so that the process ends by itself, and kills it if it does not. Resolves when it is gone. */
  async end(): Promise<WorkerExit> {
    if (!this.#isInputClosed) {
      this.#isInputClosed = true;
      void Promise.try(() => this.#child.stdin.end()).catch(() => {}); // the process may already have ended
    }
    const timer = setTimeout(() => this.kill(), END_GRACE_MS);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  /** Kills the process and everything it started. */
  kill(): void {
    if (!this.#exit) killTree(this.pid);
  }

  async #watch(): Promise<WorkerExit> {
    const output = Promise.all([this.#readOutput(), this.#readStderr()]);
    const code = await this.#child.exited;
    await Promise.race([output, delay(LINGER_MS)]);
    const signal = this.#child.signalCode === null ? null : String(this.#child.signalCode);
    const exit = { code: signal ? null : code, signal, stderrTail: this.#stderr.text() };
    this.#exit = exit;
    const why = exit.stderrTail.trim().replace(/^pintle: /, "") || "The engine ended before it was ready";
    this.#ready.reject(new WorkerStartError(why, exit.code));
    this.#listener?.onExit(exit);
    return exit;
  }

  async #readOutput(): Promise<void> {
    const reader = new JsonlReader({
      onLine: (line) => this.#onLine(line),
      onOverlongLine: () => this.kill(),
    });
    for await (const chunk of this.#child.stdout) {
      this.lastHeard = performance.now();
      reader.push(chunk);
      const pressure = this.#listener?.backPressure?.();
      if (!pressure) continue;
      this.isHeldBack = true;
      await pressure;
      this.isHeldBack = false;
      this.lastHeard = performance.now();
    }
    reader.end();
  }

  async #readStderr(): Promise<void> {
    for await (const chunk of this.#child.stderr) this.#stderr.push(chunk);
  }

  #onLine(line: string): void {
    if (this.#listener) this.#listener.onLine(line);
    else if (line.startsWith(READY_PREFIX)) this.#onReady(line);
    else this.#kept.push(line);
  }

  #onReady(line: string): void {
    try {
      this.#ready.resolve(JSON.parse(line) as ReadyFrame);
    } catch (error) {
      this.#ready.reject(new WorkerStartError(`The engine's first line is not valid: ${errorText(error)}`, null));
    }
  }
}

const MAX_CHARS = 4096;

/** Keeps the end of what a worker wrote to stderr, which explains why it died. */
class StderrTail {
  readonly #decoder = new TextDecoder();
  #text = "";

  push(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.decode(chunk, { stream: true })).slice(-MAX_CHARS);
  }

  text(): string {
    return this.#text;
  }
}
