import type { GatewaySession } from "@pintle/client/core";
import type { Transcript } from "./transcript.ts";

/** The number of entries to read at once: more than a window shows, but few enough to draw without a pause. */
export const PAGE_ENTRIES = 200;

interface Reader {
  readonly rpc: GatewaySession;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}

/** Loads the rest of a long session page by page, newest first. */
export class EarlierEntries {
  readonly #session: Reader;
  #page: Promise<void> | undefined;

  constructor(session: Reader) {
    this.#session = session;
  }

  /** Loads one more page. Rejects if that fails. */
  read(): Promise<void> {
    this.#page ??= this.#read().finally(() => {
      this.#page = undefined;
    });
    return this.#page;
  }

  /** Loads until the condition holds, or everything. */
  async readUntil(isEnough: () => boolean = () => false): Promise<void> {
    const { transcript, signal } = this.#session;
    while (transcript.first > 0 && !signal.aborted && !isEnough()) await this.read();
  }

  async #read(): Promise<void> {
    const { rpc, transcript, signal } = this.#session;
    if (transcript.first === 0) return;
    // Undefined if none is loaded, in which case the newest are next.
    const before = transcript.rows[transcript.first]?.id;
    const { first, entries } = await rpc.getEntries({ limit: PAGE_ENTRIES, ...(before !== undefined && { before }) });
    // In the meantime, everything may have been replaced.
    if (signal.aborted || transcript.rows[transcript.first]?.id !== before) return;
    // Another request would return the same.
    if (first === undefined || !transcript.addEarlier(first, entries)) throw new Error("the session has changed");
  }
}
