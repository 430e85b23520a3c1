import { existsSync } from "node:fs";
import { RpcClosedError, RpcTimeoutError } from "./core/errors.ts";
import { type OptionNames, refuseUnknownOptions } from "./core/option-names.ts";
import { CORE_OPTION_NAMES, type CoreOptions, RpcCore, type StartOptions } from "./core/rpc-core.ts";
import type { RunPlace } from "./core/run-result.ts";
import type { Transport } from "./core/transport.ts";
import { flagArgs } from "./process/flag-options.ts";
import { LAUNCH_OPTION_NAMES, type LaunchOptions, launch } from "./process/launch.ts";
import { PROGRAM_NAME, programPlaces } from "./process/program-places.ts";
import { type ExitStatus, ServerProcess } from "./process/server-process.ts";
import { withSession } from "./process/session-args.ts";
import type { Ready } from "./protocol.ts";

export interface RpcClientOptions extends CoreOptions, LaunchOptions {
  /** How long each step of `stop()` waits for the process; default 1000. */
  stopGraceMs?: number;
  /** How many of the last bytes of stderr are kept; default 65536. */
  stderrLimit?: number;
}

const OPTION_NAMES: OptionNames<RpcClientOptions> = {
  ...CORE_OPTION_NAMES,
  ...LAUNCH_OPTION_NAMES,
  stopGraceMs: true,
  stderrLimit: true,
};

const STOP_GRACE_MS = 1000;
const STDERR_LIMIT = 64 * 1024;

/** Starts a server process and talks to it. */
export class RpcClient extends RpcCore {
  readonly #options: RpcClientOptions;
  readonly #firstStart: Promise<ServerProcess>;
  #onFirstStart!: (server: ServerProcess) => void;
  /** The most recently started process. */
  #last: ServerProcess | undefined;
  #isRunning = false;
  /** Pending while the last process is shutting down. */
  #ending: Promise<void> | undefined;
  /** Incremented by `stop()`, so that a start that is waiting notices it. */
  #stops = 0;
  #sessionFile: string | undefined;

  constructor(options: RpcClientOptions = {}) {
    refuseUnknownOptions(options, OPTION_NAMES);
    super(options);
    flagArgs(options); // throws if options conflict
    this.#options = options;
    this.#firstStart = new Promise((resolve) => {
      this.#onFirstStart = resolve;
    });
    this.on("session_info_changed", ({ sessionFile }) => {
      this.#sessionFile = sessionFile;
    });
  }

  /** Resolves when the most recent process, or the first one if none has started, has exited. Never rejects. */
  get exited(): Promise<ExitStatus> {
    return this.#last?.exited ?? this.#firstStart.then(({ exited }) => exited);
  }

  /** The path of the open session, if it is stored. After switching sessions, the event that follows the response updates it. */
  get sessionFile(): string | undefined {
    return this.#sessionFile;
  }

  protected override get place(): RunPlace {
    return {
      sessionId: super.place.sessionId,
      ...(this.#sessionFile !== undefined && { sessionFile: this.#sessionFile }),
    };
  }

  /** Resolves when the server is ready. Can be called again after `stop()` or after the process has exited. */
  start(options: StartOptions = {}): Promise<Ready> {
    return this.#start(this.#options, options);
  }

  /** Rejects everything that is waiting and ends the process. */
  async stop(): Promise<void> {
    this.#stops += 1;
    if (!this.#isRunning) return;
    this.disconnect();
    await this.#end(this.#last);
  }

  /** Restarts the process, even after a crash, and reopens the session. Tools and handlers are kept. */
  async restart(options: StartOptions = {}): Promise<Ready> {
    const file = this.#sessionFile;
    await this.stop();
    const isStored = file !== undefined && existsSync(file);
    if (!isStored) return this.#start(this.#options, options);
    const { session: _first, ...others } = this.#options;
    return this.#start({ ...others, args: withSession(this.#options.args ?? [], file) }, options);
  }

  /** Returns the last part of what the process wrote to stderr. */
  getStderr(): string {
    return this.#last?.stderr() ?? "";
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Starts to stop the process; `exited` resolves when it is done. */
  [Symbol.dispose](): void {
    // stop() never rejects.
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
      this.#sessionFile ??= ready.sessionFile; // an event may have reported a newer one
      return ready;
    } catch (error) {
      await this.#end(server);
      if (!(error instanceof RpcTimeoutError)) throw error;
      throw new RpcTimeoutError(`${error.message}\n${server.stderr()}`.trimEnd());
    }
  }

  /** Wraps the transport, so that the process is cleaned up when the connection ends on its own. */
  #transportOf(server: ServerProcess): Transport {
    const { transport } = server;
    return {
      ...transport,
      onClose: (listener) =>
        transport.onClose((reason) => {
          listener(reason);
          // #end() never rejects.
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

/**
 * Explains why the server could not be started and what to do. The system reports a missing program and a missing directory with
 * the same error.
 */
function startFailure(error: NodeJS.ErrnoException, { cwd, command, cliPath, spawn }: LaunchOptions): string {
  if (error.code !== "ENOENT" || spawn) return error.message;
  if (cwd !== undefined && !existsSync(cwd)) return `the directory ${cwd} does not exist`;
  if (command) return `there is no program "${error.path ?? command}"; check the option command`;
  if (cliPath !== undefined) {
    return `there is no "bun" on the PATH to run ${cliPath}; to use another runtime, set the option command`;
  }
  return [
    `there is no program "${PROGRAM_NAME}", neither on the PATH nor at`,
    ...programPlaces().map((path) => `  ${path}`),
    'Install the package "pintle" next to @pintle/client, or build the program ("npm run build" in a clone creates dist/pintle).',
    'To use a program at another path, set the option command: new RpcClient({ command: ["/path/to/pintle"] })',
  ].join("\n");
}
