import type { NodeDirectory } from "../directory.ts";

/** A session that a host of this node uses on another node. */
export interface WatchedRoute {
  sessionId: string;
  /** The node that the session's commands go to. */
  nodeId: string;
  /** True if the node is known to have held the lease. A node that is still opening the session has none yet. */
  isOwner: boolean;
  /** Called once, when the session has another owner or none. */
  onMoved(): void;
}

/**
 * Compares the routes of relayed sessions with the leases in the store. A node that has lost its database keeps its links and
 * answers nothing, so only the store can tell that its sessions have moved.
 */
export class OwnerWatch {
  readonly #directory: Pick<NodeDirectory, "ownersOf">;
  readonly #routes = new Set<WatchedRoute>();
  /**
   * Routes whose lease had expired at the last check. A node whose database was unavailable extends its leases when it is back.
   */
  #suspects = new Set<WatchedRoute>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isLooking = false;

  constructor(directory: Pick<NodeDirectory, "ownersOf">, everyMs: number) {
    this.#directory = directory;
    this.#timer = setInterval(() => void this.#look(), everyMs); // never rejects
    this.#timer.unref();
  }

  add(route: WatchedRoute): void {
    this.#routes.add(route);
  }

  delete(route: WatchedRoute): void {
    this.#routes.delete(route);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#isLooking || this.#routes.size === 0) return;
    this.#isLooking = true;
    const routes = [...this.#routes];
    try {
      const owners = await this.#directory.ownersOf([...new Set(routes.map(({ sessionId }) => sessionId))]);
      this.#compare(routes, owners);
    } catch {
      // The store does not answer; the next check decides.
    }
    this.#isLooking = false;
  }

  #compare(routes: readonly WatchedRoute[], owners: ReadonlyMap<string, string>): void {
    const suspects = new Set<WatchedRoute>();
    for (const route of routes) {
      const owner = owners.get(route.sessionId);
      if (owner === route.nodeId) route.isOwner = true;
      else if (owner !== undefined || this.#suspects.has(route)) this.#moved(route);
      else if (route.isOwner) suspects.add(route);
    }
    this.#suspects = suspects;
  }

  #moved(route: WatchedRoute): void {
    if (this.#routes.delete(route)) route.onMoved(); // it may have ended during the check
  }
}
