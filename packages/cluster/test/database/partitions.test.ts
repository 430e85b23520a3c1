import { expect, test } from "bun:test";
import { BunDatabase } from "../../src/database/bun-database.ts";
import { makePartitions, migrate } from "../../src/database/migrate.ts";
import { PostgresServer } from "../support/postgres/postgres.ts";

const MONTHS = 3;

/** Returns the first day of this month and of the coming ones, as partitions are named. */
const names = Array.from({ length: MONTHS }, (_, ahead) => {
  const now = new Date();
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead));
  return `entries_${first.toISOString().slice(0, 7).replace("-", "_")}`;
});

test("a node that starts after a long time creates the missing months", async () => {
  const server = await PostgresServer.shared();
  const database = new BunDatabase({ url: (await server.database()).url, connections: 2, deadlineMs: 30_000 });
  const partitions = async () => {
    const rows = await database.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class JOIN pg_inherits ON inhrelid = oid WHERE relkind = 'r' AND relname <> 'entries_rest' ORDER BY 1",
    );
    return rows.map(({ name }) => name);
  };
  await migrate(database);
  expect(await partitions()).toEqual(names);
  for (const name of names) await database.query(`DROP TABLE pintle.${name}`);
  await migrate(database);
  expect(await partitions()).toEqual(names);
  // Entries of this month that arrived before their partition existed stay where they are, and do no harm.
  for (const name of names) await database.query(`DROP TABLE pintle.${name}`);
  await database.query(
    `INSERT INTO pintle.entries (session_id, position, born, entry_id, fence, line)
     VALUES ('s', 1, (clock_timestamp() AT TIME ZONE 'UTC')::date, 'e', 1, '{}')`,
  );
  await makePartitions(database);
  expect(await partitions()).toEqual(names.slice(1));
  expect(await database.query("SELECT entry_id FROM pintle.entries")).toHaveLength(1);
  await database.close();
});
