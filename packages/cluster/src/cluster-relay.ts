import { readTokenFile } from "@pintle/gateway/cluster";
import { ClusterDirectory, type DirectoryTables } from "./cluster-directory.ts";
import { NodeLinks } from "./relay/entry/node-links.ts";
import { NodeRelay } from "./relay/entry/node-relay.ts";

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
