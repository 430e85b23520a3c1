import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { childrenOf, killIfThere } from "../postgres/processes.ts";

/** The built program; `npm test` builds it before any test runs. */
const program = resolve(import.meta.dir, "../../../../../dist/pintle");

export interface NodeOptions {
  name: string;
  /** The address at which this node reaches the database, possibly through a proxy of its own. */
  store: string;
  /** Directory in which sessions may work: the same for all nodes, like a shared volume. */
  root: string;
  /** Directory of this node only, like the disk of a machine. */
  home: string;
  tokenFile: string;
  port: number;
  settings?: Record<string, unknown>;
  args?: readonly string[];
  env?: Record<string, string>;
}

type Child = Bun.Subprocess<"ignore", "ignore", "pipe">;

/** `pintle serve --store` as one of several machines. It can be killed, paused and started again; its disk stays. */
export class ClusterNode {
  readonly name: string;
  readonly port: number;
  /** What it has written to stderr in all starts. */
  stderr = "";
  starts = 0;
  readonly #options: NodeOptions;
  #child: Child | undefined;

  constructor(options: NodeOptions) {
    this.#options = options;
    this.name = options.name;
    this.port = options.port;
    mkdirSync(join(options.home, ".pintle"), { recursive: true, mode: 0o700 });
  }

  get pid(): number {
    if (!this.#child) throw new Error(`${this.name} does not run`);
    return this.#child.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined;
  }

  /** Starts it without waiting. Connecting shows whether it listens. */
  launch(): void {
    const { store, root, home, tokenFile, port, settings = {}, args = [], env = {} } = this.#options;
    const all = { "serve.node": this.name, ...settings };
    const set = Object.entries(all).flatMap(([key, value]) => ["--set", `${key}=${JSON.stringify(value)}`]);
    const listen = ["--listen", `127.0.0.1:${port}`, "--token-file", tokenFile];
    const child = Bun.spawn([program, "serve", ...listen, ...args, ...set], {
      cwd: root,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: home,
        PINTLE_HOME: join(home, ".pintle"),
        PINTLE_SERVE_STORE: store,
        ...env,
      },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "pipe",
    });
    this.starts += 1;
    this.#child = child;
    void child.exited.then(() => {
      if (this.#child === child) this.#child = undefined;
    });
    void this.#readStderr(child); // ends with the child
  }

  /** Starts it and waits until it responds. */
  async start(): Promise<void> {
    this.launch();
    while (!(await this.isHealthy())) {
      if (!this.#child) throw new Error(`${this.name} ended: ${this.stderr}`);
      await Bun.sleep(20);
    }
  }

  async isHealthy(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.port}/healthz`, { signal: AbortSignal.timeout(2_000) })).ok;
    } catch {
      return false; // not yet, or no longer
    }
  }

  async #readStderr(child: Child): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) this.stderr += decoder.decode(chunk, { stream: true });
  }

  /** Returns the engines that it has started. */
  workers(): number[] {
    return this.#child ? childrenOf(this.#child.pid) : [];
  }

  /** Kills it like a power failure, including its workers. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const workers = this.workers();
    child.kill("SIGKILL");
    for (const pid of workers) killIfThere(pid);
    await child.exited;
  }

  /** Pauses or resumes only the gateway. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(signal);
  }

  /** Stops it with a signal. Returns the exit code. */
  async stop(): Promise<number | undefined> {
    const child = this.#child;
    child?.kill("SIGTERM");
    return child?.exited;
  }

  /** Directories with the session files of all its starts. */
  get sessionFolder(): string {
    return join(this.#options.home, ".pintle", "cluster");
  }
}
