import { GatewayClient } from "@pintle/client";
import type { Engine, EngineEvents } from "./engine.ts";

export interface GatewayEngineOptions {
  /** An address as `pintle serve` prints it, or the path of its socket. */
  attach: string;
  /** Of a session of the gateway; without one a new session is opened. */
  sessionId?: string;
  cwd: string;
}

/** A session of a gateway. A lost connection is made again by the client; the session lives on at the server. */
export class GatewayEngine implements Engine {
  readonly #options: GatewayEngineOptions;
  readonly #client: GatewayClient;

  constructor(options: GatewayEngineOptions) {
    this.#options = options;
    const { attach } = options;
    this.#client = new GatewayClient(isUrl(attach) ? { url: attach } : { socket: attach });
  }

  async start(events: EngineEvents): Promise<void> {
    const { sessionId, cwd } = this.#options;
    await this.#client.connect();
    const session = await this.#client.open({
      updateMode: "delta",
      ...(sessionId === undefined ? { cwd } : { session: sessionId }),
    });
    this.#client.onState((state, reason) => {
      if (state === "away") events.onLost(`The connection is lost: ${reason?.message ?? state}`);
    });
    events.onSession(session);
  }

  /** The client makes the connection again; the session is where it was. */
  resume(): Promise<void> {
    if (this.#client.isConnected) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = this.#client.onState((state, reason) => {
        if (state === "away") return;
        stop();
        if (state === "connected") resolve();
        else reject(reason ?? new Error("The connection has ended"));
      });
    });
  }

  async stop(): Promise<void> {
    this.#client.end();
  }
}

function isUrl(place: string): boolean {
  return /^(wss?|https?):\/\//.test(place);
}
