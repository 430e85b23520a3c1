import { beforeAll, describe } from "bun:test";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import type { GatewayOptions } from "../../../gateway/src/gateway.ts";
import { type GatewayFixture, LIMITS, realGateway } from "../../../gateway/test/support/gateway-fixture.ts";
import { joinCluster } from "../../src/cluster.ts";
import { PostgresServer } from "./postgres/postgres.ts";

export type StartGateway = (options?: Partial<GatewayOptions>) => Promise<GatewayFixture>;

type MakeGateway = (options?: Partial<GatewayOptions>) => GatewayFixture;

/** Runs the same behavior tests for sessions in files and in PostgreSQL, with the built program or what `make` returns. */
export function describeStores(define: (start: StartGateway) => void, make: MakeGateway = realGateway): void {
  describe("sessions in files", () => define(async (options) => make(options)));
  describe("sessions in PostgreSQL", () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.shared();
    }, 120_000);
    define(async (options) => clusterGateway((await server.database()).url, options, make));
  });
}

/** A gateway of this process on that database, which starts the built program. */
async function clusterGateway(
  url: string,
  options: Partial<GatewayOptions> = {},
  make: MakeGateway = realGateway,
): Promise<GatewayFixture> {
  const directory = scratchPath();
  const sessionDir = join(directory, "sessions");
  const cluster = await joinCluster({
    url,
    nodeId: `node-${crypto.randomUUID()}`,
    name: "node",
    address: null,
    labels: [],
    version: "0.0.0",
    leaseMs: 15_000,
    heartbeatMs: 1_000,
    storeTimeoutMs: 30_000,
    onTakeover: "report",
    connections: 4,
    maxWorkers: LIMITS.maxWorkers,
    sessionDir,
    blobDir: join(directory, "blobs"),
  });
  const workerArgs = [...(options.workerArgs ?? []), "--session-dir", sessionDir];
  return make({ ...options, cluster, workerArgs });
}
