import type { Transport } from "../transport.ts";

/** A connection to a gateway. */
export interface GatewayTransport extends Transport {
  /** Ends it. `onClose` may or may not be called afterwards. */
  close(): void;
}

/** Makes a new connection each time. Rejects when there is none to be had; the signal ends the attempt. */
export type Connect = (signal: AbortSignal) => Promise<GatewayTransport>;

/** The server does not let this host in. */
export class RpcRefusedError extends Error {
  override readonly name = "RpcRefusedError";
  /** Of HTTP: 401 for a token that is missing or wrong, 403 for a page or a name that may not connect, 429 for too many attempts. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  /** Another attempt would end the same. */
  get isFinal(): boolean {
    return this.status === 401 || this.status === 403;
  }
}
