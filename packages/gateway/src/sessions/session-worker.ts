import { errorText } from "@pintle/ai";
import { CommandError } from "../frames/command-error.ts";
import { type WorkerExit, type WorkerProcess, WorkerStartError } from "../workers/worker-process.ts";
import { CrashCount } from "./crash-count.ts";

export interface SessionWorkerParts {
  /** Another worker for the same session. */
  start(): Promise<WorkerProcess>;
  /** What a new worker has to know before the first command, a frame each. */
  introduction(): string[];
  onLine(line: string): void;
  backPressure(): Promise<void> | undefined;
  /** It ended as it was asked to. The commands named wait for the next one. */
  onEnd(waiting: ReadonlySet<string>): void;
  /** It ended although it was not asked to. */
  onDeath(exit: WorkerExit): void;
  /** Commands that no worker got. */
  onUnsent(commandIds: readonly string[], error: CommandError): void;
  /** It has died too often. */
  onGivenUp(): void;
}

interface Waiting {
  commandId: string | undefined;
  line: string;
}

/** The engine of one session: started when a command needs it, ended when it is idle, started again when it died. */
export class SessionWorker {
  readonly #parts: SessionWorkerParts;
  readonly #crashes = new CrashCount();
  #process: WorkerProcess | undefined;
  #starting: Promise<void> | undefined;
  #ending: Promise<unknown> | undefined;
  /** What is sent as soon as there is a worker, in order. */
  #waiting: Waiting[] = [];
  #isGivenUp = false;
  #isClosed = false;

  constructor(parts: SessionWorkerParts) {
    this.#parts = parts;
  }

  /** Of a session without a worker undefined. */
  get process(): WorkerProcess | undefined {
    return this.#process;
  }

  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** It has ended for good, or is about to. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Nothing is started, ended or waited for. */
  get isSteady(): boolean {
    return this.#starting === undefined && this.#ending === undefined && this.#waiting.length === 0;
  }

  /** A worker for the session. */
  adopt(process: WorkerProcess): void {
    this.#process = process;
    for (const line of this.#parts.introduction()) process.send(line);
    this.#sendWaiting(process);
    process.listen({
      onLine: (line) => this.#parts.onLine(line),
      backPressure: () => this.#parts.backPressure(),
      onExit: (exit) => this.#onExit(exit),
    });
  }

  /** `commandId`: who is told when no worker gets it. */
  send(line: string, commandId?: string): void {
    if (this.#process && !this.#ending && this.#waiting.length === 0) {
      this.#process.send(line);
      return;
    }
    this.#waiting.push({ commandId, line });
    this.#starting ??= this.#wake();
  }

  /** For the worker that is there; without one it is not worth starting one. */
  tell(line: string): void {
    if (this.#process && !this.#ending) this.#process.send(line);
  }

  /** A host has opened the session again: it is given another chance. */
  forgive(): void {
    if (!this.#isGivenUp) return;
    this.#isGivenUp = false;
    this.#crashes.clear();
  }

  /** Ends the worker by closing its stdin. A command that comes meanwhile waits for the next worker. */
  async end(): Promise<void> {
    const process = this.#process;
    if (!process) return this.#ending?.then(() => {});
    this.#ending ??= process.end().finally(() => {
      this.#ending = undefined;
    });
    await this.#ending;
  }

  /** At once, and for good. */
  kill(): void {
    this.#isClosed = true;
    this.#process?.kill();
  }

  /** For good: what waits is refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting;
    await this.end();
  }

  /** Never rejects: commands that get no worker are answered. */
  async #wake(): Promise<void> {
    try {
      await this.#ending;
      if (this.#isClosed) throw new CommandError("not_open", "The session was closed");
      if (this.#isGivenUp) throw new CommandError("session_failed", "The engine of this session ended again and again");
      const process = await this.#parts.start();
      this.#starting = undefined;
      this.adopt(process);
    } catch (error) {
      this.#starting = undefined;
      this.#failWaiting(toCommandError(error));
      if (error instanceof WorkerStartError) this.#countDeath();
    }
  }

  #sendWaiting(process: WorkerProcess): void {
    for (const { line } of this.#waiting.splice(0)) process.send(line);
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
