import { expect, test } from "bun:test";
import { BunDatabase } from "../../../src/cluster/database/bun-database.ts";
import { migrate } from "../../../src/cluster/database/migrate.ts";
import { Leases } from "../../../src/cluster/leases.ts";
import { Batch } from "../../../src/cluster/log/batch.ts";
import { entryFacts } from "../../../src/cluster/log/entry-facts.ts";
import { LogTable } from "../../../src/cluster/log/log-table.ts";
import { PostgresServer } from "../../support/postgres/postgres.ts";

/** More than a page, and more digits than one: text would be in another order than numbers. */
const ENTRIES = 230;

test("a session is read in the order it was written, over all pages", async () => {
  await using server = await PostgresServer.start();
  const database = new BunDatabase({ url: (await server.database()).url, connections: 2, deadlineMs: 30_000 });
  await migrate(database);
  const [table, leases] = [new LogTable(database, "n"), new Leases(database, "n", 60_000)];
  const lease = await leases.take("s");
  await table.create({ sessionId: "s", cwd: "/", needs: [], header: "{}", plan: "{}" });
  const batch = new Batch();
  const ids = Array.from({ length: ENTRIES }, (_, n) => `e${n}`);
  for (const id of ids) {
    const entry = { type: "message", id, message: { role: "user", content: id } };
    batch.append({ entryId: id, line: JSON.stringify(entry) }, entryFacts(entry));
  }
  await table.write(lease!, 0, batch);
  const read = await Array.fromAsync(table.lines((await table.find("s"))!));
  await database.close();
  expect(read.map(({ entryId }) => entryId)).toEqual(ids);
});
