/** Another node that is alive, as far as the store knows. */
export interface NodeAddress {
  /** For people. */
  node: string;
  /** Where other nodes reach it: `HOST:PORT`, or an address with a scheme; null: they cannot. */
  address: string | null;
}

/** Who has which session. The store knows: leases and nodes are rows in it. */
export interface NodeDirectory {
  /** The other node that holds the session by a lease which is not past its time; undefined: this one may open it. */
  ownerOf(sessionId: string): Promise<NodeAddress | undefined>;
  /**
   * Another node that can serve what needs the labels, or a stored session with those that it stated; undefined: this one can, or
   * none can.
   */
  nodeFor(need: { labels?: readonly string[]; sessionId?: string }): Promise<NodeAddress | undefined>;
}
