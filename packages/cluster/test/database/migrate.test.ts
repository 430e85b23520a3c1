import { expect, test } from "bun:test";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { ServeError } from "../../../gateway/src/serve-error.ts";
import { BunDatabase } from "../../src/database/bun-database.ts";
import { migrate } from "../../src/database/migrate.ts";
import { MIGRATIONS } from "../../src/database/migrations/index.ts";
import { PostgresServer } from "../support/postgres/postgres.ts";
import { describeWithPostgres } from "../support/postgres/with-postgres.ts";

describeWithPostgres("migrations", (build) => {
  test("completes a migration that exceeds the statement deadline while another node waits", async () => {
    const server = await PostgresServer.shared(build);
    const { url } = await server.database();
    const open = () => new BunDatabase({ url, connections: 2, deadlineMs: 1_000 });
    const [one, other] = [open(), open()];
    const slow = [...MIGRATIONS, { name: "slow", sql: "SELECT pg_sleep(3)", lowest: 1 }];
    await Promise.all([migrate(one, slow), migrate(other, slow)]);
    expect(await one.query("SELECT name FROM pintle.migrations ORDER BY number")).toEqual(
      slow.map(({ name }) => ({ name })),
    );
    await Promise.all([one.close(), other.close()]);
  }, 120_000);

  test("does not wait forever for a table in use, and its users continue", async () => {
    const server = await PostgresServer.shared(build);
    const { url } = await server.database();
    const [node, user] = [1, 2].map(() => new BunDatabase({ url, connections: 2, deadlineMs: 10_000 })) as [
      BunDatabase,
      BunDatabase,
    ];
    await migrate(node);
    const held = Promise.withResolvers<void>();
    const isLocked = Promise.withResolvers<void>();
    const reading = user.transaction(
      async (query) => {
        await query("LOCK TABLE pintle.jobs IN ACCESS SHARE MODE");
        isLocked.resolve();
        await held.promise;
      },
      { deadlineMs: Number.POSITIVE_INFINITY },
    );
    await isLocked.promise;
    const next = [...MIGRATIONS, { name: "next", sql: "ALTER TABLE pintle.jobs ADD COLUMN extra int", lowest: 1 }];
    expect(await rejection(migrate(node, next))).toMatchObject({ state: "55P03", isPassing: true });
    held.resolve();
    await reading;
    await migrate(node, next);
    await Promise.all([node.close(), user.close()]);
  }, 120_000);

  test("works on a newer layout unless the layout forbids it", async () => {
    const server = await PostgresServer.shared(build);
    const { url } = await server.database();
    const database = new BunDatabase({ url, connections: 2, deadlineMs: 10_000 });
    const compatible = [...MIGRATIONS, { name: "more", sql: "CREATE TABLE pintle.more (n int)", lowest: 1 }];
    await migrate(database, compatible);
    await migrate(database); // the previous node, started again
    const breaking = [...compatible, { name: "other", sql: "SELECT 1", lowest: compatible.length + 1 }];
    await migrate(database, breaking);
    const refused = await rejection(migrate(database, compatible));
    expect(refused).toBeInstanceOf(ServeError);
    expect((refused as Error).message).toContain("newer pintle");
    await database.close();
  }, 120_000);
});
