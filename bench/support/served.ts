import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { LinePeer } from "./line-peer.ts";

const program = resolve(import.meta.dir, "../../dist/pintle");

/** A home and a root in which servers and single engines are started. */
export class ServePlace implements Disposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "pintle-served-")));
  readonly root = join(this.base, "root");
  readonly env = { PATH: process.env.PATH ?? "", HOME: this.base, PINTLE_HOME: join(this.base, ".pintle") };

  /** Starts with this content of `models.json`. */
  constructor(models?: string) {
    mkdirSync(this.root);
    mkdirSync(this.env.PINTLE_HOME, { mode: 0o700 });
    if (models !== undefined) writeFileSync(join(this.env.PINTLE_HOME, "models.json"), models, { mode: 0o600 });
  }

  /** One engine, as hosts start it without a server. */
  async bare(...args: string[]): Promise<{ peer: LinePeer; pid: number; end(): Promise<void> }> {
    const child = Bun.spawn([program, "--mode", "rpc", ...args], { ...this.#spawn(), stderr: "ignore" });
    const peer = await LinePeer.ofChild(child);
    return {
      peer,
      pid: child.pid,
      async end() {
        peer.close();
        await child.exited;
      },
    };
  }

  /** `pintle serve` on a unix socket and a port. */
  async serve(settings: Record<string, unknown> = {}): Promise<Served> {
    const socket = join(this.base, "run", "s");
    const set = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${JSON.stringify(value)}`]);
    const child = Bun.spawn([program, "serve", "--socket", socket, "--listen", "0", ...set], {
      ...this.#spawn(),
      stderr: "pipe",
    });
    let output = "";
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      output += decoder.decode(chunk);
      if (output.includes("listening on")) break;
    }
    const [, url = "", token = ""] = /(http:\S+)\/#token=(\S+)/.exec(output) ?? [];
    return {
      pid: child.pid,
      bySocket: () => LinePeer.ofSocket(socket),
      byWebSocket: () => LinePeer.ofWebSocket(url, token),
      async end() {
        child.kill("SIGTERM");
        return child.exited;
      },
    };
  }

  #spawn() {
    return { cwd: this.root, env: this.env, stdin: "pipe", stdout: "pipe" } as const;
  }

  [Symbol.dispose](): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

export interface Served {
  pid: number;
  bySocket(): Promise<LinePeer>;
  byWebSocket(): Promise<LinePeer>;
  /** Stops it with a signal and returns the exit code. */
  end(): Promise<number>;
}
