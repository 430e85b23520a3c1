import { CommandError, NoRoom } from "../frames/command-error.ts";
import { type WorkerCommand, WorkerProcess } from "./worker-process.ts";
import { specKey, type WorkerSpec } from "./worker-spec.ts";

export interface WorkerPoolOptions extends WorkerCommand {
  maxWorkers: number;
  /** Keeps one worker ready for the next session with the same options as the last one. */
  prewarm: boolean;
  /** Ends an idle worker. Resolves with false if there is none. */
  evict(): Promise<boolean>;
}

/** Starts engines, up to the limit. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  /** Includes workers that are being started or ended. */
  readonly #processes = new Set<WorkerProcess>();
  /** Engines without a session, which do not count against the limit. */
  readonly #helpers = new Set<WorkerProcess>();
  #reserved = 0;
  #spare: { key: string; process: WorkerProcess } | undefined;
  #isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#processes.size;
  }

  processes(): Iterable<WorkerProcess> {
    return [...this.#processes, ...this.#helpers];
  }

  /** Starts a worker. Resolves when it is ready. Rejects with CommandError `busy`, or WorkerStartError. */
  async start(spec: WorkerSpec): Promise<WorkerProcess> {
    const process = this.#takeSpare(spec) ?? (await this.#startInTurn(spec));
    await process.ready;
    return process;
  }

  /**
   * Starts an engine that reads stored sessions: a server whose workers are all in use must still list, rename and
   * delete.
   */
  async startHelper(spec: WorkerSpec): Promise<WorkerProcess> {
    const process = this.#spawn(spec, this.#helpers);
    await process.ready;
    return process;
  }

  /** Starts a worker for a new session, or uses the one that is ready. Prepares another one for the next session. */
  async startNew(spec: WorkerSpec): Promise<WorkerProcess> {
    const process = await this.start(spec);
    this.#prewarm(spec);
    return process;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.processes()].map((process) => process.end()));
  }

  async #startInTurn(spec: WorkerSpec): Promise<WorkerProcess> {
    this.#reserved += 1;
    try {
      await this.#makeRoom();
      return this.#spawn(spec);
    } finally {
      this.#reserved -= 1;
    }
  }

  async #makeRoom(): Promise<void> {
    while (this.#processes.size + this.#reserved > this.#options.maxWorkers) {
      if (await this.#dropSpare()) continue;
      if (!(await this.#options.evict())) throw new NoRoom();
    }
  }

  #spawn(spec: WorkerSpec, among: Set<WorkerProcess> = this.#processes): WorkerProcess {
    if (this.#isClosed) throw new CommandError("draining", "The server is shutting down");
    const process = new WorkerProcess(this.#options, spec);
    among.add(process);
    void process.exited.then(() => among.delete(process)); // does not reject
    return process;
  }

  #takeSpare(spec: WorkerSpec): WorkerProcess | undefined {
    if (this.#spare?.key !== specKey(spec)) return undefined;
    const { process } = this.#spare;
    this.#spare = undefined;
    return process;
  }

  #prewarm(spec: WorkerSpec): void {
    const { prewarm, maxWorkers } = this.#options;
    if (!prewarm || this.#isClosed || this.#spare?.key === specKey(spec)) return;
    const old = this.#spare?.process;
    this.#spare = undefined;
    void old?.end(); // does not reject
    if (this.#processes.size + this.#reserved >= maxWorkers) return;
    const process = this.#spawn(spec);
    this.#spare = { key: specKey(spec), process };
    // `exited` does not reject.
    void process.exited.then(() => {
      if (this.#spare?.process === process) this.#spare = undefined;
    });
  }

  async #dropSpare(): Promise<boolean> {
    const process = this.#spare?.process;
    this.#spare = undefined;
    await process?.end();
    return process !== undefined;
  }
}
