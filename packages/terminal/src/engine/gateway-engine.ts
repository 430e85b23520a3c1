import { GatewayClient, type GatewaySession, RpcCommandError } from "@pintle/client";
import { type Engine, type EngineEvents, type ListScope, MAX_LISTED, type OtherSession } from "./engine.ts";

export interface GatewayEngineOptions {
  /** The URL that `pintle serve` prints, or the path of its socket. */
  attach: string;
  /** The session to open; without an id, a new one. */
  sessionId?: string;
  cwd: string;
}

/** Uses a session of a gateway. The client reconnects after a loss, and the session keeps running at the server. */
export class GatewayEngine implements Engine {
  readonly #options: GatewayEngineOptions;
  readonly #client: GatewayClient;
  #events: EngineEvents | undefined;
  #session: GatewaySession | undefined;

  constructor(options: GatewayEngineOptions) {
    this.#options = options;
    const { attach } = options;
    this.#client = new GatewayClient(isUrl(attach) ? { url: attach } : { socket: attach });
  }

  async start(events: EngineEvents): Promise<void> {
    this.#events = events;
    await this.#client.connect();
    this.#session = await this.#join(this.#options.sessionId);
    this.#client.onState((state, reason) => {
      if (state === "away") events.onLost(`The connection is lost: ${reason?.message ?? state}`);
    });
    events.onSession(this.#session);
  }

  /** Always lists all sessions of the server, whose directories need not be those of this machine. */
  async list({ query }: ListScope): Promise<OtherSession[]> {
    const { sessions } = await this.#client.list({ ...(query !== undefined && { query }), limit: MAX_LISTED });
    return sessions.map((session) => ({ ...session, id: session.sessionId }));
  }

  rename({ sessionId }: OtherSession, name: string): Promise<void> {
    return this.#client.rename(sessionId, name);
  }

  delete({ sessionId }: OtherSession): Promise<void> {
    return this.#client.delete(sessionId);
  }

  restore({ sessionId }: OtherSession): Promise<void> {
    return this.#client.restore(sessionId);
  }

  /** Switches to another session. The previous one keeps running on the server. */
  async open(id?: string): Promise<void> {
    const left = this.#session;
    const session = await this.#join(id);
    if (session === left) return;
    this.#session = session;
    this.#events?.onSession(session);
    await left?.detach();
  }

  async #join(session: string | undefined): Promise<GatewaySession> {
    if (session !== undefined) return this.#client.open({ updateMode: "delta", session, since: "start" });
    const { cwd } = this.#options;
    try {
      return await this.#client.open({ updateMode: "delta", cwd });
    } catch (error) {
      // The server may be on another machine, where this directory does not exist.
      if (!(error instanceof RpcCommandError) || error.code !== "not_allowed") throw error;
      this.#events?.onNotice(`${error.message}: the session works in the server's own.`);
      return this.#client.open({ updateMode: "delta" });
    }
  }

  /** Waits until the client has reconnected. */
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
