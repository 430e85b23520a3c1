import { expect, test } from "bun:test";
import { BunDatabase } from "../../src/cluster/database/bun-database.ts";
import { migrate } from "../../src/cluster/database/migrate.ts";
import { ClusterNodes } from "../../src/cluster/nodes.ts";
import { PostgresServer } from "../support/postgres/postgres.ts";

const SELF = { nodeId: "n-1", name: "n", address: null, labels: ["gpu"], version: "0", maxWorkers: 4 };
const IDLE = { workers: 0, isDraining: false };

/** The first statement may find out that its connection is gone. */
const hasBeaten = (nodes: ClusterNodes) =>
  nodes.beat(IDLE).then(
    () => true,
    () => false,
  );

test("a node that the others have forgotten joins again with its next heartbeat; one that has left does not", async () => {
  await using server = await PostgresServer.start();
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

test("an address that is announced while the database is away is said by the next heartbeat", async () => {
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
