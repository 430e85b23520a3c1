import { RpcListenerError, type RpcProtocolError } from "./errors.ts";

export type Fault = RpcProtocolError | RpcListenerError;
export type FaultListener = (fault: Fault) => void;

/**
 * Reports faults that no call can reject with. Errors from the host's own listeners are bugs, so they are printed if nothing
 * listens.
 */
export class FaultReport {
  #listeners: readonly FaultListener[] = [];

  onFault(listener: FaultListener): () => void {
    const own: FaultListener = (fault) => listener(fault);
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  report(fault: Fault): void {
    if (this.#listeners.length === 0 && fault instanceof RpcListenerError) console.error(fault);
    for (const listener of this.#listeners) {
      try {
        listener(fault);
      } catch (error) {
        console.error(error);
      }
    }
  }

  thrown(what: string, error: unknown): void {
    this.report(new RpcListenerError(what, error));
  }
}
