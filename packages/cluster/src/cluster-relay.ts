import { readTokenFile } from "@pintle/gateway/cluster";
import { ClusterDirectory, type DirectoryTables } from "./cluster-directory.ts";
import { NodeLinks } from "./relay/entry/node-links.ts";
import { NodeRelay } from "./relay/entry/node-relay.ts";

/** A node that is gone holds its sessions for a lease; a little more is waited for, so that the next owner is found. */
const LEASES_WAITED = 2;

export interface RelayCall {
  /** The file of the token with which nodes authenticate. */
  tokenFile: string;
  /** Bytes of one host that may wait for another node. */
  maxQueuedBytes: number;
  /** A line for the person who runs the nodes. */
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
      ...{ token: readTokenFile(tokenFile), maxUnread: maxQueuedBytes, silentMs: leaseMs },
      ...{ version: tables.nodes.self.version, ...(report && { report }) },
    }),
    patienceMs: LEASES_WAITED * leaseMs,
    watchMs: heartbeatMs,
  });
}
