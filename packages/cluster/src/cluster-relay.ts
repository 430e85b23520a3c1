import { type Relay, type RelayedConnection, type RelayedSessions, readTokenFile } from "@pintle/gateway/cluster";
import { ClusterDirectory, type DirectoryTables } from "./cluster-directory.ts";
import { HostRelay } from "./relay/entry/host-relay.ts";
import { NodeLinks } from "./relay/entry/node-links.ts";
import { NodeRoutes, type RouteOptions } from "./relay/entry/node-routes.ts";

/** A lost node holds its sessions until its lease ends. Waiting a little longer than that finds the next owner. */
const LEASES_WAITED = 2;

export interface RelayCall {
  /** Path of the file with the token by which nodes authenticate. */
  tokenFile: string;
  /** Maximum number of bytes of one host that may wait for another node. */
  maxQueuedBytes: number;
  /** Writes a line for the operator of the nodes. */
  report?(text: string): void;
}

/** Returns the relay to the sessions of the other nodes. Throws ServeError for an unusable token file. */
export function clusterRelay(
  { leaseMs, heartbeatMs, ...tables }: { leaseMs: number; heartbeatMs: number } & DirectoryTables,
  { tokenFile, maxQueuedBytes, report }: RelayCall,
): NodeRelay {
  return new NodeRelay({
    directory: new ClusterDirectory(tables),
    links: new NodeLinks({
      token: readTokenFile(tokenFile),
      maxUnread: maxQueuedBytes,
      silentMs: leaseMs,
      version: tables.nodes.self.version,
      ...(report && { report }),
    }),
    patienceMs: LEASES_WAITED * leaseMs,
    watchMs: heartbeatMs,
  });
}

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
