import type { Relay, RelayedConnection, RelayedSessions } from "@pintle/gateway/cluster";
import { HostRelay } from "./host-relay.ts";
import { NodeRoutes, type RouteOptions } from "./node-routes.ts";

/** Reaches the sessions of other nodes over the links between nodes. */
export class NodeRelay implements Relay {
  readonly #routes: NodeRoutes;

  constructor(options: RouteOptions) {
    this.#routes = new NodeRoutes(options);
  }

  connect(connection: RelayedConnection): RelayedSessions {
    return new HostRelay(this.#routes, connection);
  }

  hasOther(labels: readonly string[]): Promise<boolean> {
    return this.#routes.hasOther(labels);
  }

  close(): void {
    this.#routes.close();
  }
}
