import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import type { JoinedCluster } from "@pintle/cluster";
import type { ServerLimits } from "@pintle/wire";
import { homeDirectory } from "../config/home-dir.ts";
import type { Environment } from "../config/keys/environment.ts";
import type { Settings } from "../config/settings/settings.ts";
import { version } from "../version.ts";

export interface StoreCall {
  /** `postgres://…`, which may contain a password. */
  url: string;
  /** Address for receiving notifications, bypassing a pooler. */
  listenUrl: string | undefined;
  settings: Settings;
  env: Environment;
  limits: ServerLimits;
  /** The value of `--session-dir`. */
  directory: string | undefined;
  ending: AbortSignal;
  /** Prints a line for the user who started the server. */
  report(text: string): void;
}

/** Number of database connections. A commit uses one for a few milliseconds. */
const CONNECTIONS = 8;
/** A lease must survive two lost heartbeats. */
const BEATS_PER_LEASE = 3;

/** Joins the nodes that share the database. Loaded only with `--store`. Rejects with ServeError. */
export async function openStore(call: StoreCall): Promise<JoinedCluster> {
  const { url, listenUrl, settings, env, limits, directory, ending, report } = call;
  const { joinCluster } = await import("@pintle/cluster");
  const name = settings.get("serve.node") || hostname();
  const nodeId = `${name}-${randomBytes(4).toString("hex")}`;
  const home = homeDirectory(env);
  const leaseMs = settings.get("serve.leaseMs");
  const options = {
    isPooled: settings.get("serve.storePooler"),
    url,
    listenUrl,
    nodeId,
    name,
    version,
    leaseMs,
    maxWorkers: limits.maxWorkers,
    ending,
    address: null,
    labels: settings.get("serve.labels"),
    heartbeatMs: Math.min(settings.get("serve.heartbeatMs"), leaseMs / BEATS_PER_LEASE),
    storeTimeoutMs: settings.get("serve.storeTimeoutMs"),
    onTakeover: settings.get("serve.onTakeover"),
    connections: CONNECTIONS,
    // Unique to this start, because the database is more recent than what another start left in a directory.
    sessionDir: join(directory === undefined ? join(home, "cluster") : resolve(directory), nodeId),
    blobDir: join(home, "blobs"),
  };
  return joinCluster(options, report);
}
