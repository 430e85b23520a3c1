import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { where } from "../../../../coding-agent/test/support/where.ts";
import { BunDatabase } from "../../../src/cluster/database/bun-database.ts";
import { migrate } from "../../../src/cluster/database/migrate.ts";
import { PGBOUNCER, PgBouncer } from "../../support/postgres/pgbouncer.ts";
import { PostgresServer } from "../../support/postgres/postgres.ts";

const withPgBouncer = where(existsSync(PGBOUNCER), "needs pgbouncer");

withPgBouncer.test(
  "PgBouncer in transaction mode: every write succeeds, and notifications arrive past it",
  async () => {
    await using server = await PostgresServer.start();
    const direct = await server.database();
    await using bouncer = await PgBouncer.start(server, direct);
    const database = new BunDatabase({
      ...{ url: bouncer.url, connections: 8, deadlineMs: 10_000, isPooled: true, listenUrl: direct.url },
    });
    const heard: string[] = [];
    const isListening = Promise.withResolvers<void>();
    database.listen("told", (payload) => {
      heard.push(payload);
      isListening.resolve();
    });
    await isListening.promise;
    await migrate(database);
    await database.query("CREATE TABLE written (n int PRIMARY KEY, text text)");
    const write = (n: number) => database.query("INSERT INTO written VALUES ($1, $2)", [n, `text ${n}`]);
    await Promise.all(Array.from({ length: 600 }, (_, n) => write(n)));
    expect(await database.query("SELECT count(*)::int AS n FROM written")).toEqual([{ n: 600 }]);
    await database.transaction(async (query) => {
      await query("UPDATE written SET text = $1 WHERE n = $2", ["changed", 1]);
      await query("UPDATE written SET text = $1 WHERE n = $2", ["changed", 2]);
    });
    expect(await database.query("SELECT n FROM written WHERE text = $1 ORDER BY n", ["changed"])).toEqual([
      { n: 1 },
      { n: 2 },
    ]);
    await database.query("SELECT pg_notify('told', $1)", ["a job"]);
    while (!heard.includes("a job")) await Bun.sleep(10);
    await database.close();
  },
);
