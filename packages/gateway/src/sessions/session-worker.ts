import { errorText } from "@pintle/ai";
import { CommandError } from "../frames/command-error.ts";
import { type WorkerExit, type WorkerProcess, WorkerStartError } from "../workers/worker-process.ts";
import { CrashCount } from "./crash-count.ts";

export interface SessionWorkerParts {
  /** Starts another worker for the same session. */
  start(): Promise<WorkerProcess>;
  /** Starts a worker for one command; it does not count against the limit. */
  startHelper(): Promise<WorkerProcess>;
  /** Returns the frames that a new worker receives before the first command. */
  introduction(): string[];
  onLine(line: string): void;
  backPressure(): Promise<void> | undefined;
  /** Called when it ended as requested. The `waiting` commands are sent to the next worker. */
  onEnd(waiting: ReadonlySet<string>): void;
  /** Called when it ended unexpectedly. */
  onDeath(exit: WorkerExit): void;
  /** Called for commands that no worker received. */
  onUnsent(commandIds: readonly string[], error: CommandError): void;
  /** Called when it has died too often. */
  onGivenUp(): void;
}

interface Waiting {
  commandId: string | undefined;
  line: string;
}

/**
 * The engine of one session. It is started when a command needs it, ended when it is idle, and restarted after a crash.
 */
export class SessionWorker {
  readonly #parts: SessionWorkerParts;
  readonly #crashes = new CrashCount();
  #process: WorkerProcess | undefined;
  #starting: Promise<void> | undefined;
  #ending: Promise<unknown> | undefined;
  /** Lines to send as soon as there is a worker, in order. */
  #waiting: Waiting[] = [];
  #isGivenUp = false;
  #isClosed = false;

  constructor(parts: SessionWorkerParts) {
    this.#parts = parts;
  }

  /** Undefined while the session has no worker. */
  get process(): WorkerProcess | undefined {
    return this.#process;
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** Whether it has ended permanently, or is about to. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Whether no worker is being started or ended, and no command waits for one. */
  get isSteady(): boolean {
    return this.#starting === undefined && this.#ending === undefined && this.#waiting.length === 0;
  }

  /** Uses this process as the worker of the session. */
  adopt(process: WorkerProcess): void {
    this.#begin(process, () => this.#waiting.splice(0).map(({ line }) => line));
  }

  #begin(process: WorkerProcess, lines: () => readonly string[]): void {
    this.#process = process;
    for (const line of this.#parts.introduction()) process.send(line);
    for (const line of lines()) process.send(line);
    process.listen({
      onLine: (line) => this.#parts.onLine(line),
      backPressure: () => this.#parts.backPressure(),
      onExit: (exit) => this.#onExit(exit),
    });
  }

  /**
   * Sends one command, even if the server has no room for a worker. Resolves when `answered` does. Without a worker, a helper executes
   * the command and ends; other commands wait for that, so that none of them starts an engine beyond the limit.
   */
  async sendAlways(line: string, commandId: string, answered: Promise<void>): Promise<void> {
    while (!this.isSteady) {
      await this.#starting; // starts no worker if the server is full
      await this.#ending;
    }
    if (this.#process || this.#isClosed) {
      this.send(line, commandId);
      return answered;
    }
    this.#ending = this.#help(line, commandId, answered).finally(() => {
      this.#ending = undefined;
    });
    await this.#ending;
  }

  /** Executes one command with a helper. Never rejects. */
  async #help(line: string, commandId: string, answered: Promise<void>): Promise<void> {
    try {
      const process = await this.#parts.startHelper();
      this.#begin(process, () => [line]);
      await Promise.race([answered, process.exited]);
      await process.end();
    } catch (error) {
      this.#parts.onUnsent([commandId], toCommandError(error));
    }
  }

  /** Sends a line, and starts a worker if necessary. `commandId` is the command to fail if no worker receives it. */
  send(line: string, commandId?: string): void {
    if (this.#process && !this.#ending && this.#waiting.length === 0) {
      this.#process.send(line);
      return;
    }
    this.#waiting.push({ commandId, line });
    this.#starting ??= this.#wake();
  }

  /** Sends a line only if there is a worker; it does not start one. */
  sendIfRunning(line: string): void {
    if (this.#process && !this.#ending) this.#process.send(line);
  }

  /** Allows workers again after too many crashes, because a host has opened the session again. */
  forgive(): void {
    if (!this.#isGivenUp) return;
    this.#isGivenUp = false;
    this.#crashes.clear();
  }

  /** Ends the worker by closing its stdin. A command that arrives meanwhile waits for the next worker. */
  async end(): Promise<void> {
    const process = this.#process;
    if (!process) return this.#ending?.then(() => {});
    this.#ending ??= process.end().finally(() => {
      this.#ending = undefined;
    });
    await this.#ending;
  }

  /** Kills the worker immediately and permanently. */
  kill(): void {
    this.#isClosed = true;
    this.#process?.kill();
  }

  /** Ends the worker permanently. Waiting commands are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting;
    await this.end();
  }

  /** Starts a worker. Never rejects: commands that get no worker are answered. */
  async #wake(): Promise<void> {
    try {
      await this.#ending;
      if (this.#isClosed) throw new CommandError("not_open", "The session was closed");
      if (this.#isGivenUp) throw new CommandError("session_failed", "The engine of this session ended repeatedly");
      const process = await this.#parts.start();
      this.#starting = undefined;
      this.adopt(process);
    } catch (error) {
      this.#starting = undefined;
      this.#failWaiting(toCommandError(error));
      if (error instanceof WorkerStartError) this.#countDeath();
    }
  }

  #onExit(exit: WorkerExit): void {
    const isExpected = this.#ending !== undefined;
    this.#process = undefined;
    if (isExpected) this.#parts.onEnd(new Set(this.#waiting.flatMap(({ commandId }) => commandId ?? [])));
    else {
      this.#parts.onDeath(exit);
      this.#countDeath();
    }
  }

  #countDeath(): void {
    if (!this.#crashes.add()) return;
    this.#isGivenUp = true;
    this.#parts.onGivenUp();
  }

  #failWaiting(error: CommandError): void {
    const ids = this.#waiting.splice(0).flatMap(({ commandId }) => commandId ?? []);
    this.#parts.onUnsent(ids, error);
  }
}

function toCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  return new CommandError("worker_exited", `The engine could not be started: ${errorText(error)}`);
}
