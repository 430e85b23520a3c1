import type { NodeSocket } from "@pintle/gateway/cluster";
import { HEAD_BYTES, NODE_PATH } from "../link-message.ts";
import { RelayedHosts } from "./relayed-hosts.ts";

/** Accepts the links of other nodes. `nodeId` identifies this node on them. */
export function acceptLinks(nodeId: string): NodeSocket {
  return {
    path: NODE_PATH,
    headBytes: HEAD_BYTES,
    open: (socket, { connections, ...server }) => new RelayedHosts(socket, connections, { ...server, nodeId }),
  };
}
