import type { Transport } from "../transport.ts";

/** A connection to a gateway. */
export interface GatewayTransport extends Transport {
  /** Closes the connection. `onClose` may or may not be called afterwards. */
  close(): void;
}

/** Opens a new connection on each call. Rejects if that fails; the signal cancels the attempt. */
export type Connect = (signal: AbortSignal) => Promise<GatewayTransport>;

/** The server rejected this host. */
export class RpcRefusedError extends Error {
  override readonly name = "RpcRefusedError";
  /**
   * HTTP status: 401 for a missing or wrong token, 403 for a page or host name that may not connect, 429 for too many attempts.
   */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** True if retrying cannot succeed. */
  get isFinal(): boolean {
    return this.status === 401 || this.status === 403;
  }
}
