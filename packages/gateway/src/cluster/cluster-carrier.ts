import { Carrier } from "../nodes/entry/carrier.ts";
import { NodeLinks } from "../nodes/entry/node-links.ts";
import { readTokenFile } from "../transports/web/token.ts";
import { ClusterDirectory, type DirectoryTables } from "./cluster-directory.ts";

/** A node that is gone holds its sessions for a lease; a little more is waited for, so that the next owner is found. */
const LEASES_WAITED = 2;

export interface CarrierCall {
  /** Of the cluster's token. */
  tokenFile: string;
  /** Bytes of one host that may wait for another node. */
  maxQueuedBytes: number;
  /** A line for the person who runs the nodes. */
  report?(text: string): void;
}

/** The way to the sessions of the other nodes. Throws ServeError for a token file that cannot be used. */
export function clusterCarrier(
  { leaseMs, heartbeatMs, ...tables }: { leaseMs: number; heartbeatMs: number } & DirectoryTables,
  { tokenFile, maxQueuedBytes, report }: CarrierCall,
): Carrier {
  return new Carrier({
    directory: new ClusterDirectory(tables),
    links: new NodeLinks({
      ...{ token: readTokenFile(tokenFile), maxUnread: maxQueuedBytes, silentMs: leaseMs },
      ...{ version: tables.nodes.self.version, ...(report && { report }) },
    }),
    patienceMs: LEASES_WAITED * leaseMs,
    watchMs: heartbeatMs,
  });
}
