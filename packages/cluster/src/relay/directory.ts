/** Another node that is alive, according to the store. */
export interface NodeAddress {
  /** Identifies one start of the node: a node that restarts gets another id. */
  nodeId: string;
  /** For people. */
  node: string;
  /** Where other nodes reach it: `HOST:PORT`, or a URL; null if they cannot. */
  address: string | null;
}

/** Knows which node has which session, from the leases and nodes in the store. */
export interface NodeDirectory {
  /** Returns the other node that holds an unexpired lease on the session, or undefined if this node may open it. */
  ownerOf(sessionId: string): Promise<NodeAddress | undefined>;
  /** Returns the ids of the nodes that hold unexpired leases on these sessions, this node included. */
  ownersOf(sessionIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Returns another node that can serve the labels, or a stored session with its own labels; undefined if this node can or if
   * none can.
   */
  nodeFor(need: { labels?: readonly string[]; sessionId?: string }): Promise<NodeAddress | undefined>;
  /** Returns the other nodes that can serve it and can be reached, the one with the most room first. */
  othersFor(need: { labels?: readonly string[]; sessionId?: string }): Promise<NodeAddress[]>;
}
