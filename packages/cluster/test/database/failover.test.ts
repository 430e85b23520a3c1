import { expect, test } from "bun:test";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { BunDatabase } from "../../src/database/bun-database.ts";
import { TcpProxy } from "../support/cluster/tcp-proxy.ts";
import { PostgresServer } from "../support/postgres/postgres.ts";

/** Makes the server answer like a standby: it reads, and refuses writes with SQLSTATE 25006. */
function setReadOnly(server: PostgresServer, isOn: boolean): Promise<void> {
  return server.admin(async (sql) => {
    await sql.unsafe("SET default_transaction_read_only = off");
    await sql.unsafe(`ALTER SYSTEM SET default_transaction_read_only = ${isOn ? "on" : "off"}`);
    await sql`SELECT pg_reload_conf()`;
  });
}

const WRITE = "CREATE TABLE IF NOT EXISTS written (n int)";

test("a pool on a read-only server recovers as soon as its address leads to a writable one", async () => {
  await using primary = await PostgresServer.start();
  await using standby = await PostgresServer.start();
  await setReadOnly(standby, true);
  const { url } = await primary.database();
  const proxy = await TcpProxy.start(standby.port);
  const { password } = new URL(url);
  const through = new BunDatabase({
    url: `postgres://postgres:${password}@127.0.0.1:${proxy.port}/postgres`,
    connections: 4,
    deadlineMs: 10_000,
  });
  const isReadOnly = "SELECT current_setting('transaction_read_only') AS state";
  while ((await through.query<{ state: string }>(isReadOnly))[0]?.state === "off") await Bun.sleep(10);
  expect(await rejection(through.query(WRITE))).toMatchObject({ state: "25006", isPassing: true });
  proxy.target = primary.port; // open connections still lead to the standby
  await through.query(WRITE);
  await Promise.all(Array.from({ length: 8 }, () => through.query("INSERT INTO written VALUES (1)")));
  await through.close();
  await proxy.close();
}, 120_000);

test("uses the writable one of several hosts, even after it changes", async () => {
  await using one = await PostgresServer.start();
  await using other = await PostgresServer.start();
  const { password } = new URL((await one.database()).url);
  const portNow = async (database: BunDatabase) =>
    (await database.query<{ port: string }>("SELECT current_setting('port') AS port"))[0]?.port;
  await setReadOnly(one, true);
  const hosts = `127.0.0.1:1,127.0.0.1:${one.port},127.0.0.1:${other.port}`;
  const database = new BunDatabase({
    url: `postgres://postgres:${password}@${hosts}/postgres`,
    connections: 4,
    deadlineMs: 10_000,
  });
  const untilWritable = async () => {
    for (;;) {
      try {
        return void (await database.query(WRITE));
      } catch (error) {
        expect(error).toMatchObject({ isPassing: true });
        await Bun.sleep(20);
      }
    }
  };
  await untilWritable();
  expect(await portNow(database)).toBe(String(other.port));
  await setReadOnly(one, false);
  await other.stop();
  await untilWritable();
  expect(await portNow(database)).toBe(String(one.port));
  await database.close();
}, 120_000);

test("replaces connections at the end of their lifetime without interrupting running statements", async () => {
  await using server = await PostgresServer.start();
  const { url } = await server.database();
  const database = new BunDatabase({ url, connections: 1, deadlineMs: 10_000, maxLifetimeMs: 200 });
  const backend = async () => (await database.query<{ pid: number }>("SELECT pg_backend_pid() AS pid"))[0]?.pid;
  const first = await backend();
  const slow = database.query<{ n: number }>("SELECT 1 AS n FROM pg_sleep(1)");
  while ((await backend()) === first) await Bun.sleep(50);
  expect(await slow).toEqual([{ n: 1 }]);
  await database.close();
}, 120_000);

test("abandons only the statement without an answer, and does not execute it later", async () => {
  await using server = await PostgresServer.start();
  const { url } = await server.database();
  const database = new BunDatabase({ url, connections: 1, deadlineMs: 60_000 });
  const other = new BunDatabase({ url, connections: 1, deadlineMs: 60_000 });
  await database.query(WRITE);
  const unlock = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const lock = other.transaction(async (query) => {
    await query("LOCK TABLE written IN SHARE MODE");
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  const silent = rejection(database.query("INSERT INTO written VALUES (1)", [], 300));
  const waiting = database.query("SELECT 2 AS n"); // for the same connection
  const late = rejection(database.query("INSERT INTO written VALUES (3)", [], 100)); // not sent when it is abandoned
  expect(await silent).toMatchObject({ message: "The database does not answer", isPassing: true });
  expect(await late).toMatchObject({ message: "The database does not answer", isPassing: true });
  expect(await waiting).toEqual([{ n: 2 }]);
  unlock.resolve();
  await lock;
  expect(await database.query("SELECT n FROM written")).toEqual([]);
  await database.close();
  await other.close();
}, 120_000);
