export { type ClusterOptions, type JoinedCluster, joinCluster } from "./cluster.ts";
