import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { WebHost } from "./web-host.ts";

/** The built program; `npm test` builds it before any test runs. */
const program = resolve(import.meta.dir, "../../../../dist/pintle");

export interface ProgramOptions {
  args?: readonly string[];
  settings?: Record<string, unknown>;
  env?: Record<string, string>;
}

/** `pintle serve` as users start it, in its own directory, with the offline model. */
export class ServeProgram {
  readonly child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  /** The root of its sessions. */
  readonly root: string;
  /** What it has written to stderr so far. */
  stderr = "";
  readonly #base: string;
  /** Ends with the child. */
  readonly #reading: Promise<void>;
  #onText: () => void = () => {};

  constructor({ args = [], settings = {}, env = {} }: ProgramOptions = {}) {
    this.#base = scratchPath();
    this.root = join(this.#base, "root");
    mkdirSync(this.root);
    const set = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${JSON.stringify(value)}`]);
    this.child = Bun.spawn([program, "serve", ...args, ...set], {
      cwd: this.root,
      env: { PATH: process.env.PATH ?? "", HOME: this.#base, PINTLE_HOME: join(this.#base, ".pintle"), ...env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#reading = this.#readStderr();
  }

  get pid(): number {
    return this.child.pid;
  }

  async #readStderr(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.child.stderr) {
      this.stderr += decoder.decode(chunk, { stream: true });
      this.#onText();
    }
    this.#onText();
  }

  /** Waits until stderr contains the text. */
  async told(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stderr);
      if (found) return found;
      if (this.child.exitCode !== null) throw new Error(`it ended with ${this.child.exitCode}: ${this.stderr}`);
      await new Promise<void>((resolve) => {
        this.#onText = resolve;
      });
    }
  }

  /** Resolves with its exit code once `stderr` is complete. */
  async ended(): Promise<number> {
    await this.#reading;
    return this.child.exited;
  }

  /** The address at which it listens, and the token that it generated. */
  async address(): Promise<{ url: string; port: number; token: string }> {
    const [, url = "", port, token = ""] = await this.told(/(http:\/\/[^/]+:(\d+))\/(?:#token=(\S+))?\n/);
    return { url, port: Number(port), token };
  }

  /** Returns a connected host that has received `hello`. */
  async connect(headers: Record<string, string> = {}): Promise<WebHost> {
    const { url, token } = await this.address();
    const host = new WebHost(`${url}/ws`, { headers: { authorization: `Bearer ${token}`, ...headers } });
    await host.opened;
    await host.next(({ type }) => type === "server_ready");
    return host;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGTERM");
    await this.child.exited;
    rmSync(this.#base, { recursive: true, force: true });
  }
}
