import type { GatewaySession } from "@pintle/client/core";
import type { Transcript } from "./transcript.ts";

/** Entries of a session that are read at once: more than a window shows, and little enough to be drawn without a pause. */
export const PAGE_ENTRIES = 200;

interface Reader {
  readonly rpc: GatewaySession;
  readonly transcript: Transcript;
  readonly signal: AbortSignal;
}

/** What of a long session is not here yet is read page by page, from the newest back. */
export class EarlierEntries {
  readonly #session: Reader;
  #page: Promise<void> | undefined;

  constructor(session: Reader) {
    this.#session = session;
  }

  /** A page more. Rejects when it cannot be had. */
  read(): Promise<void> {
    this.#page ??= this.#read().finally(() => {
      this.#page = undefined;
    });
    return this.#page;
  }

  /** As much as is needed, or everything. */
  async readUntil(isEnough: () => boolean = () => false): Promise<void> {
    const { transcript, signal } = this.#session;
    while (transcript.first > 0 && !signal.aborted && !isEnough()) await this.read();
  }

  async #read(): Promise<void> {
    const { rpc, transcript, signal } = this.#session;
    if (transcript.first === 0) return;
    // Undefined: none is here, and the newest are the next ones.
    const before = transcript.rows[transcript.first]?.id;
    const { first, entries } = await rpc.getEntries({ limit: PAGE_ENTRIES, ...(before !== undefined && { before }) });
    // Meanwhile everything may have been told anew.
    if (signal.aborted || transcript.rows[transcript.first]?.id !== before) return;
    // To ask once more would bring the same.
    if (first === undefined || !transcript.addEarlier(first, entries)) throw new Error("the session has changed");
  }
}
