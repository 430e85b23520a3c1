import { GatewayCore, RpcRefusedError } from "@pintle/client/core";
import { Cell, type ReadonlyCell } from "../state/cell.ts";
import { CheckedSocket } from "./checked-socket.ts";
import { ServerClock } from "./server-clock.ts";

/** `refused`: the token is wrong, and no further attempt is made. */
export type ConnectionState = "connecting" | "connected" | "away" | "refused";

const RECONNECT = { minMs: 150, maxMs: 3_000 };
/** Silence after which the server is pinged. */
const SILENT_MS = 15_000;
const ANSWER_MS = 3_000;
const LOOK_MS = 5_000;

/** The connection to the server that sent this page. It reconnects until the token is refused. */
export class ServerConnection {
  readonly gateway: GatewayCore;
  readonly clock = new ServerClock();
  readonly #socket: CheckedSocket;
  readonly #state = new Cell<ConnectionState>("connecting");
  #isAsking = false;

  constructor(token: string) {
    this.#socket = new CheckedSocket(token);
    this.gateway = new GatewayCore({ connect: this.#connect, reconnect: RECONNECT });
    this.gateway.onState((state, reason) => {
      if (state === "ended") this.#state.set(reason instanceof RpcRefusedError ? "refused" : "away");
      else this.#state.set(state);
      if (state === "connected") this.#askTime();
    });
  }

  get state(): ReadonlyCell<ConnectionState> {
    return this.#state;
  }

  /** Sends an HTTP request to the server. */
  request(path: string): Promise<Response> {
    return this.#socket.request(path);
  }

  /** Rejects when the token is refused. */
  async start(): Promise<void> {
    try {
      await this.gateway.connect();
    } catch (error) {
      this.#state.set("refused");
      throw error;
    }
    setInterval(() => this.#look(), LOOK_MS);
    for (const [target, type] of [
      [document, "visibilitychange"],
      [window, "online"],
      [window, "pageshow"],
    ] as const)
      target.addEventListener(type, () => this.#look());
  }

  /** The first connection is retried like later ones. */
  readonly #connect: CheckedSocket["connect"] = async (signal) => {
    for (let pauseMs = RECONNECT.minMs; ; pauseMs = Math.min(RECONNECT.maxMs, pauseMs * 2)) {
      try {
        return await this.#socket.connect(signal);
      } catch (error) {
        if (signal.aborted || this.#state.value !== "connecting" || error instanceof RpcRefusedError) throw error;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  };

  #askTime(): void {
    fetch("/healthz").then(
      ({ headers }) => this.clock.set(headers.get("date")),
      () => {}, // the connection was lost again, and the next one asks again
    );
  }

  /** After a sleep, the browser may still consider a dead connection open. */
  #look(): void {
    const isSilent = Date.now() - this.#socket.heardAt > SILENT_MS;
    if (!isSilent || this.#isAsking || document.hidden || !this.gateway.isConnected) return;
    this.#isAsking = true;
    this.gateway
      .serverState({ timeoutMs: ANSWER_MS })
      .catch(() => this.#socket.drop())
      .finally(() => {
        this.#isAsking = false;
      });
  }
}
