import { FLAG_OPTION_NAMES, type FlagOptions, flagArgs } from "@pintle/client";
import {
  CORE_OPTION_NAMES,
  type CoreOptions,
  type OptionNames,
  RpcClosedError,
  RpcCore,
  refuseUnknownOptions,
  type StartOptions,
} from "@pintle/client/core";
import { requireDirectory } from "./require-directory.ts";

/** Options of a session in this process: those of a client that need no process. */
export interface InProcessOptions extends CoreOptions, FlagOptions {
  cwd?: string;
  /** Added to this process's environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Additional command-line arguments. */
  args?: readonly string[];
}

const OPTION_NAMES: OptionNames<InProcessOptions> = {
  ...CORE_OPTION_NAMES,
  ...FLAG_OPTION_NAMES,
  cwd: true,
  env: true,
  args: true,
};
const OF_A_PROCESS = ["command", "cliPath", "spawn", "stopGraceMs", "stderrLimit"];

/** A client of a session in this process: exchanges the same frames as over pipes, without the pipes. */
export class InProcessClient extends RpcCore {
  readonly #options: InProcessOptions;
  #stop: (() => Promise<void>) | undefined;

  constructor(options: InProcessOptions = {}) {
    const ofProcess = OF_A_PROCESS.find((name) => Object.hasOwn(options, name));
    if (ofProcess !== undefined)
      throw new TypeError(`${ofProcess} requires a separate process: use the client of @pintle/client`);
    refuseUnknownOptions(options, OPTION_NAMES);
    super(options);
    flagArgs(options); // throws if options conflict
    this.#options = options;
  }

  async start(options: StartOptions = {}): Promise<void> {
    if (this.#stop) throw new Error("Client already started");
    options.signal?.throwIfAborted();
    requireDirectory(this.#options.cwd);
    const { startServer } = await import("./in-process-server.ts");
    const { args = [], cwd, env } = this.#options;
    const { transport, failed, stop } = startServer([...flagArgs(this.#options), ...args], {
      ...(cwd !== undefined && { cwd }),
      env: { ...process.env, ...env },
    });
    this.#stop = stop;
    try {
      await Promise.race([this.connect(transport, options), failed]);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    const stop = this.#stop;
    this.#stop = undefined;
    this.disconnect(new RpcClosedError("The client was stopped"));
    await stop?.();
  }
}
