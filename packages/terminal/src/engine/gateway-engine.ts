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
      if (state !== "connected") events.onLost(`The connection is lost: ${reason?.message ?? state}`);
    });
    events.onSession(session);
  }

  /** The next command starts another process for the session, and a connection is made again by itself. */
  async resume(): Promise<void> {}

  async stop(): Promise<void> {
    this.#client.end();
  }

  resumeCommand(sessionId: string): string {
    const place = isUrl(this.#options.attach) ? "URL" : this.#options.attach; // the address has the token in it
    return `pintle --attach ${place} --session ${sessionId}`;
  }
}

function isUrl(place: string): boolean {
  return /^(wss?|https?):\/\//.test(place);
}
