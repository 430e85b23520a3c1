/** A way to a server and back. Anything that carries text in both directions in order will do. */
export interface Transport {
  /** The text is one or more whole lines. A promise says "enough for now": nothing is written until it is settled. */
  write(text: string): void | Promise<void>;
  /** Called once. The pieces may be cut anywhere; bytes must not be changed afterwards. */
  onData(listener: (chunk: Uint8Array | string) => void): void;
  /** Called once. The end, with the reason if it is known. No data follows. */
  onClose(listener: (reason?: Error) => void): void;
}

/** One of several ways over a shared connection: carries frames instead of text, and outlives the connection. */
export interface FrameTransport {
  /** While there is no connection: frames wait until it is settled. */
  blocked(): Promise<void> | undefined;
  send(frame: Frame): void | Promise<void>;
  /** Called once. */
  onFrame(listener: (frame: Frame) => void): void;
  /** Called once. The end, with the reason if it is known. */
  onClose(listener: (reason?: Error) => void): void;
}

export interface Frame {
  type: string;
  id?: string | number;
  [field: string]: unknown;
}
