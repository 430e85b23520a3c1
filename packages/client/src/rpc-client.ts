import { existsSync } from "node:fs";
import { RpcClosedError, RpcTimeoutError } from "./core/errors.ts";
import { type CoreOptions, RpcCore, type StartOptions } from "./core/rpc-core.ts";
import type { Transport } from "./core/transport.ts";
import { type LaunchOptions, launch } from "./process/launch.ts";
import { type ExitStatus, ServerProcess } from "./process/server-process.ts";
import { withSession } from "./process/session-args.ts";
import { startFailure } from "./process/start-failure.ts";
import type { Ready } from "./protocol.ts";

export interface RpcClientOptions extends CoreOptions, LaunchOptions {
  /** How long each step of `stop()` waits for the process; 1000. */
  stopGraceMs?: number;
  /** How much of the end of stderr is kept, in bytes; 65536. */
  stderrLimit?: number;
}

const STOP_GRACE_MS = 1000;
const STDERR_LIMIT = 64 * 1024;

/** Starts a server and speaks to it. */
export class RpcClient extends RpcCore {
  readonly #options: RpcClientOptions;
  readonly #firstStart: Promise<ServerProcess>;
  #onFirstStart!: (server: ServerProcess) => void;
  /** The process that was started last. */
  #last: ServerProcess | undefined;
  #isRunning = false;
  /** While the last process is being ended. */
  #ending: Promise<void> | undefined;
  /** How often it was stopped, for a start that has to wait. */
  #stops = 0;
  #sessionFile: string | undefined;

  constructor(options: RpcClientOptions = {}) {
    super(options);
    this.#options = options;
    this.#firstStart = new Promise((resolve) => {
      this.#onFirstStart = resolve;
    });
    this.on("session_info_changed", ({ sessionFile }) => {
      this.#sessionFile = sessionFile;
    });
  }

  /** The end of the process that was started last, or will be first. Never rejects. */
  get exited(): Promise<ExitStatus> {
    return this.#last?.exited ?? this.#firstStart.then(({ exited }) => exited);
  }

  /** Where the open session is stored, if it is. After a change it is known with the event that follows the answer. */
  get sessionFile(): string | undefined {
    return this.#sessionFile;
  }

  /** Resolves when the server is ready. Can be called again after `stop()`, and after the process has ended by itself. */
  start(options: StartOptions = {}): Promise<Ready> {
    return this.#start(this.#options, options);
  }

  /** Rejects everything that waits and ends the process. */
  async stop(): Promise<void> {
    this.#stops += 1;
    if (!this.#isRunning) return;
    this.disconnect();
    await this.#end(this.#last);
  }

  /** Starts anew, also after a crash, with the session that was open. Tools and handlers stay. */
  async restart(options: StartOptions = {}): Promise<Ready> {
    const file = this.#sessionFile;
    await this.stop();
    const isStored = file !== undefined && existsSync(file);
    const args = isStored ? withSession(this.#options.args ?? [], file) : this.#options.args;
    return this.#start({ ...this.#options, ...(args && { args }) }, options);
  }

  /** The end of what the process wrote to stderr. */
  getStderr(): string {
    return this.#last?.stderr() ?? "";
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Begins to stop; `exited` tells when it is done. */
  [Symbol.dispose](): void {
    // Stopping does not reject.
    void this.stop();
  }

  async #start(how: LaunchOptions, options: StartOptions): Promise<Ready> {
    const stops = this.#stops;
    if (this.#ending) await this.#ending;
    if (stops !== this.#stops) throw new RpcClosedError("The client was stopped");
    if (this.#isRunning) throw new Error("Client already started");
    options.signal?.throwIfAborted();
    const server = new ServerProcess(launch(how), this.#options.stderrLimit ?? STDERR_LIMIT, (error) =>
      startFailure(error, how),
    );
    this.#isRunning = true;
    this.#last = server;
    this.#onFirstStart(server);
    this.#sessionFile = undefined;
    try {
      const ready = await this.connect(this.#transportOf(server), options);
      this.#sessionFile ??= ready.sessionFile; // an event may have told a newer one
      return ready;
    } catch (error) {
      await this.#end(server);
      if (!(error instanceof RpcTimeoutError)) throw error;
      throw new RpcTimeoutError(`${error.message}\n${server.stderr()}`.trimEnd());
    }
  }

  /** When the connection ends by itself, nothing of the process is left either. */
  #transportOf(server: ServerProcess): Transport {
    const { transport } = server;
    return {
      ...transport,
      onClose: (listener) =>
        transport.onClose((reason) => {
          listener(reason);
          // The end of a process does not reject.
          void this.#end(server);
        }),
    };
  }

  #end(server: ServerProcess | undefined): Promise<void> {
    const ending = (async () => {
      await server?.stop(this.#options.stopGraceMs ?? STOP_GRACE_MS);
      if (this.#last !== server) return;
      this.#isRunning = false;
      this.#ending = undefined;
    })();
    if (this.#last === server) this.#ending = ending;
    return ending;
  }
}
