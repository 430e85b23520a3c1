/** Another node that is alive, as far as the store knows. */
export interface NodeAddress {
  node: string;
  /** Where its other nodes reach it: `HOST:PORT` or an address with a scheme. */
  address: string;
}

/** Who has which session. The store knows: leases and nodes are rows in it. */
export interface NodeDirectory {
  /** The name of this node. */
  readonly node: string;
  /** The other node that holds the session by a lease which is not past its time; undefined: this one may open it. */
  ownerOf(sessionId: string): Promise<NodeAddress | undefined>;
  /**
   * Another node that can serve what needs the labels; undefined: this one can, or none can. `sessionId`: those which the stored
   * session stated when it was opened first.
   */
  nodeFor(need: {
    labels?: readonly string[] | undefined;
    sessionId?: string | undefined;
  }): Promise<NodeAddress | undefined>;
}
