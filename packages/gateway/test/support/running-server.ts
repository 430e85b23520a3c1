import { rmSync } from "node:fs";
import type { ServerState } from "@pintle/wire";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { type ServedGateway, type ServeOptions, serve } from "../../src/index.ts";
import { EchoHosts } from "./outlet.ts";
import { LIMITS, serverState } from "./server-state.ts";

/** Replaces the sessions: echoes every line. */
export class EchoGateway extends EchoHosts implements ServedGateway {
  isDraining = false;
  /** Simulates a run. */
  running: Promise<void> = Promise.resolve();

  isReady(): Promise<boolean> {
    return Promise.resolve(true);
  }

  storeFigures(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  state(): ServerState {
    return serverState({ isDraining: this.isDraining });
  }

  async exportPage(sessionId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return sessionId === "known" ? new TextEncoder().encode("<p>page") : undefined;
  }

  async drain(): Promise<void> {
    this.isDraining = true;
    await this.running;
  }
}

export const TOKEN = "a-token-of-more-than-thirty-two-characters";

/** Starts a server in this process, in its own directory. */
export async function startServer(options: Partial<ServeOptions> = {}) {
  const directory = scratchPath();
  const gateway = new EchoGateway();
  const reported: string[] = [];
  const server = await serve({
    gateway,
    limits: LIMITS,
    report: (text) => void reported.push(text),
    ...options,
  });
  const port = Number(/:(\d+)\//.exec(reported[0] ?? "")?.[1]);
  return {
    gateway,
    reported,
    server,
    directory,
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export const LISTEN = {
  address: "127.0.0.1:0",
  token: TOKEN,
  publicHosts: [],
  maxAuthFailures: 3,
} satisfies ServeOptions["listen"];
