/** A connection to a server. Anything that carries text in both directions, in order, will do. */
export interface Transport {
  /** Writes one or more whole lines. If it returns a promise, nothing more is written until that settles (back-pressure). */
  write(text: string): void | Promise<void>;
  /** Called once. Chunks may be split anywhere; their bytes must not be mutated afterwards. */
  onData(listener: (chunk: Uint8Array | string) => void): void;
  /** Called once. Reports the end, with the reason if it is known. No data follows. */
  onClose(listener: (reason?: Error) => void): void;
}

/** One session's channel over a shared connection: carries frames instead of text, and survives the connection. */
export interface FrameTransport {
  /** Returns a promise while there is no connection; frames wait until it settles. */
  blocked(): Promise<void> | undefined;
  send(frame: Frame): void | Promise<void>;
  /** Called once. */
  onFrame(listener: (frame: Frame) => void): void;
  /** Called once. Reports the end, with the reason if it is known. */
  onClose(listener: (reason?: Error) => void): void;
}

export interface Frame {
  type: string;
  id?: string | number;
  [field: string]: unknown;
}
