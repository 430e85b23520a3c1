import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { scratchPath } from "../../../test/support/scratch-directory.mjs";
import { type ClusterOptions, joinCluster } from "../src/cluster.ts";
import { BunDatabase } from "../src/database/bun-database.ts";
import { migrate } from "../src/database/migrate.ts";
import { ClusterNodes } from "../src/nodes.ts";
import { PostgresServer } from "./support/postgres/postgres.ts";

const SELF = { nodeId: "n-1", name: "n", address: null, labels: ["gpu"], version: "0", maxWorkers: 4 };
const IDLE = { workers: 0, isDraining: false };

const optionsOf = (url: string, sessionDir: string): ClusterOptions => ({
  ...SELF,
  url,
  connections: 1,
  leaseMs: 60_000,
  heartbeatMs: 60_000,
  storeTimeoutMs: 60_000,
  onTakeover: "report",
  sessionDir,
  blobDir: "/nowhere",
  nodeId: basename(sessionDir),
});

/** The first statement may discover that its connection is gone. */
const hasBeaten = (nodes: ClusterNodes) =>
  nodes.beat(IDLE).then(
    () => true,
    () => false,
  );

test("a node that the others have forgotten joins again with its next heartbeat; one that has shut down does not", async () => {
  const server = await PostgresServer.shared();
  const database = new BunDatabase({ url: (await server.database()).url, connections: 2, deadlineMs: 30_000 });
  await migrate(database);
  const nodes = new ClusterNodes(database, SELF, 60_000);
  await nodes.join();
  await nodes.announce("10.0.0.1:7070");
  await database.query("DELETE FROM pintle.nodes");
  await nodes.beat(IDLE);
  expect(await nodes.alive()).toMatchObject([{ nodeId: "n-1", address: "10.0.0.1:7070", labels: ["gpu"] }]);
  await nodes.leave();
  await nodes.beat(IDLE);
  expect(await nodes.alive()).toEqual([]);
  await database.close();
});

test("an address announced while the database is unavailable is sent with the next heartbeat", async () => {
  await using server = await PostgresServer.start();
  const database = new BunDatabase({ url: (await server.database()).url, connections: 1, deadlineMs: 30_000 });
  await migrate(database);
  const nodes = new ClusterNodes(database, SELF, 60_000);
  await nodes.join();
  await server.stop();
  await nodes.announce("10.0.0.1:7070");
  await server.start();
  while (!(await hasBeaten(nodes))) await Bun.sleep(20);
  expect(await nodes.alive()).toMatchObject([{ address: "10.0.0.1:7070" }]);
  await database.close();
});

test("leases and nodes are kept alive while all other connections to the database are in use", async () => {
  const server = await PostgresServer.shared();
  const { url } = await server.database();
  const cluster = await joinCluster(optionsOf(url, "/nowhere/n-1"));
  const lease = (await cluster.leases.take("s"))!;
  const end = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const busy = cluster.database.transaction(async (query) => {
    await query("SELECT 1");
    begun.resolve();
    await end.promise;
  });
  await begun.promise;
  expect([...(await cluster.leases.extend([{ ...lease, status: "idle" }]))]).toEqual(["s"]);
  await cluster.nodes.beat(IDLE);
  end.resolve();
  await busy;
  await cluster.close();
});

test("a start removes the session files that killed starts of the node left behind, and no others", async () => {
  const server = await PostgresServer.shared();
  const { url } = await server.database();
  const base = scratchPath();
  const long = Date.now() / 1_000 - 7_200;
  const folder = (nodeId: string, files: readonly string[] = ["s.jsonl"], changed = long) => {
    mkdirSync(join(base, nodeId));
    for (const file of files) {
      writeFileSync(join(base, nodeId, file), "");
      utimesSync(join(base, nodeId, file), changed, changed);
    }
    utimesSync(join(base, nodeId), changed, changed);
  };
  folder("n-00000001");
  folder("n-00000002", ["s.jsonl"], Date.now() / 1_000); // a node that was just killed, or has lost its database
  folder("n-00000003", ["s.jsonl", "kept"]);
  folder("n-00000004");
  folder("m-00000005");
  folder("n-notes");
  const running = await joinCluster(optionsOf(url, join(base, "n-00000004")));
  const started = await joinCluster(optionsOf(url, join(base, "n-00000006")));
  expect(readdirSync(base).sort()).toEqual(["m-00000005", "n-00000002", "n-00000003", "n-00000004", "n-notes"]);
  expect(existsSync(join(base, "n-00000004", "s.jsonl"))).toBe(true);
  await running.close();
  await started.close();
  rmSync(base, { recursive: true });
});
