import type { GatewayCore, ServedSession } from "@pintle/client/core";
import { Cell, type ReadonlyCell } from "../state/cell.ts";

const PAGE = 50;

export interface Listing {
  query: string;
  sessions: readonly ServedSession[];
  /** There are older ones. */
  hasMore: boolean;
}

/** The sessions of the server as far as they were asked for. Nothing tells of their changes, so they are read anew. */
export class SessionList {
  readonly #gateway: Pick<GatewayCore, "list">;
  readonly #listing = new Cell<Listing>({ query: "", sessions: [], hasMore: false });
  /** How many are to be shown. */
  #limit = PAGE;
  #query = "";
  /** Only the answer to the newest question counts. */
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

  /** Rejects when there is no answer. */
  async renew(): Promise<void> {
    this.#asked += 1;
    const [asked, query] = [this.#asked, this.#query];
    const { sessions, nextCursor } = await this.#gateway.list({ limit: this.#limit, ...(query !== "" && { query }) });
    if (asked === this.#asked) this.#listing.set({ query, sessions, hasMore: nextCursor !== undefined });
  }

  /** Known before the server says so. */
  drop(sessionId: string): void {
    const { sessions, ...rest } = this.#listing.value;
    this.#listing.set({ ...rest, sessions: sessions.filter((session) => session.sessionId !== sessionId) });
  }
}
