import { ServeError } from "@pintle/gateway/cluster";
import type { Database, Query } from "./database.ts";
import { MIGRATIONS, type Migration } from "./migrations/index.ts";

/** Key of the advisory lock that all nodes share: any number that other programs are unlikely to use. */
const LOCK = 543_254_789;
const MONTHS_AHEAD = 2;
/** A migration that waits longer for a table yields to the nodes that use it, and is retried. */
const LOCK_TIMEOUT_MS = 5_000;

/**
 * Migrates the database to the layout of this program, one node at a time. Refuses a database that only newer programs can use
 * with ServeError; other failures reject with StoreError. Has no time limit, because changing a large table takes longer than a
 * statement may.
 */
export async function migrate(database: Database, migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  await database.query("SELECT 1"); // a server that does not answer is detected by its deadline
  await database.transaction(
    async (query) => {
      await query("SET LOCAL statement_timeout = 0");
      await query("SET LOCAL idle_in_transaction_session_timeout = 0");
      await query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
      await query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      const { done, lowest } = await appliedMigrations(query);
      if (lowest > migrations.length) {
        throw new ServeError(
          `the database was changed by a newer pintle (layout ${done}, which needs ${lowest}; this one knows ${migrations.length}): update this one first`,
        );
      }
      for (const [at, migration] of migrations.entries()) {
        if (at < done) continue;
        await query(migration.sql);
        await query("INSERT INTO pintle.migrations (number, name, lowest) VALUES ($1, $2, $3)", [
          at + 1,
          migration.name,
          migration.lowest,
        ]);
      }
      // Also if nothing was migrated, because no node may have run for months.
      await query("SELECT pintle.make_partitions($1)", [MONTHS_AHEAD]);
    },
    { deadlineMs: Number.POSITIVE_INFINITY },
  );
}

/** Creates the partitions of the coming months before the first session needs them. */
export async function makePartitions(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await query("SELECT pintle.make_partitions($1)", [MONTHS_AHEAD]);
  });
}

/**
 * Looks for the schema before creating it, so that a role without the right to create schemas can be given one. A row without
 * `lowest` is from the first layout.
 */
async function appliedMigrations(query: Query): Promise<{ done: number; lowest: number }> {
  const schema = await query("SELECT 1 FROM pg_namespace WHERE nspname = 'pintle'");
  if (schema.length === 0) await query("CREATE SCHEMA pintle");
  await query(
    `CREATE TABLE IF NOT EXISTS pintle.migrations (
       number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`,
  );
  await query("ALTER TABLE pintle.migrations ADD COLUMN IF NOT EXISTS lowest integer");
  const [newest] = await query<{ done: number; lowest: number }>(
    `SELECT coalesce(max(number), 0)::int AS done, coalesce(max(coalesce(lowest, number)), 0)::int AS lowest
     FROM pintle.migrations`,
  );
  return newest ?? { done: 0, lowest: 0 };
}
