/** The connection to check. */
interface CheckedConnection {
  ping(): void;
  /** Called once if the other side has sent nothing since the last ping. */
  lost(): void;
}

/**
 * Pings the other side, because a dead network looks like an idle connection and proxies close idle connections. The timer does
 * not keep the program alive.
 */
export class KeepAlive {
  readonly #timer: NodeJS.Timeout;
  #hasReceived = true;

  constructor(connection: CheckedConnection, everyMs: number) {
    this.#timer = setInterval(() => {
      if (!this.#hasReceived) {
        this.stop();
        connection.lost();
        return;
      }
      this.#hasReceived = false;
      connection.ping();
    }, everyMs);
    this.#timer.unref();
  }

  received(): void {
    this.#hasReceived = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
