import type { GatewayCore, ServedSession } from "@pintle/client/core";
import { Cell, type ReadonlyCell } from "../state/cell.ts";

const PAGE = 50;

export interface Listing {
  query: string;
  sessions: readonly ServedSession[];
  /** True if there are older sessions. */
  hasMore: boolean;
}

/**
 * The server's sessions, as far as they were requested. The server does not report changes, so the list is read again.
 */
export class SessionList {
  readonly #gateway: Pick<GatewayCore, "list">;
  readonly #listing = new Cell<Listing>({ query: "", sessions: [], hasMore: false });
  /** The number of sessions to show. */
  #limit = PAGE;
  #query = "";
  /** Only the response to the latest request applies. */
  #asked = 0;

  constructor(gateway: Pick<GatewayCore, "list">) {
    this.#gateway = gateway;
  }

  get listing(): ReadonlyCell<Listing> {
    return this.#listing;
  }

  search(query: string): Promise<void> {
    this.#query = query.trim();
    this.#limit = PAGE;
    return this.renew();
  }

  more(): Promise<void> {
    this.#limit += PAGE;
    return this.renew();
  }

  /** Rejects if the server does not answer. */
  async renew(): Promise<void> {
    this.#asked += 1;
    const [asked, query] = [this.#asked, this.#query];
    const { sessions, nextCursor } = await this.#gateway.list({ limit: this.#limit, ...(query !== "" && { query }) });
    if (asked === this.#asked) this.#listing.set({ query, sessions, hasMore: nextCursor !== undefined });
  }

  /** Applies a change before the server confirms it. */
  drop(sessionId: string): void {
    const { sessions, ...rest } = this.#listing.value;
    this.#listing.set({ ...rest, sessions: sessions.filter((session) => session.sessionId !== sessionId) });
  }
}
