import type { ServerWebSocket } from "bun";
import type { EndReason, Outlet } from "../../connections/connection.ts";

/** How long a host has to read what was written before its connection is closed. */
const LINGER_MS = 2_000;

/** Codes of RFC 6455: try again later, going away. */
const CLOSE_CODES: Record<EndReason, number> = { lagged: 1013, ending: 1001 };

/** Sends each frame as a text message. */
export class WebSocketOutlet implements Outlet {
  readonly #socket: ServerWebSocket<unknown>;

  constructor(socket: ServerWebSocket<unknown>) {
    this.#socket = socket;
  }

  get unsentBytes(): number {
    return this.#socket.getBufferedAmount();
  }

  /** Bun returns -1 if the frame waits in its buffer, and 0 if the connection has ended, which `close` reports. */
  write(json: string): boolean {
    return this.#socket.send(json) !== -1;
  }

  end(reason: EndReason): void {
    this.#socket.close(CLOSE_CODES[reason], reason);
    const cut = setTimeout(() => this.#socket.terminate(), LINGER_MS);
    cut.unref();
  }
}
