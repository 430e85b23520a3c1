import { ServeError } from "../../serve-error.ts";
import type { Database, Query } from "./database.ts";
import { MIGRATIONS } from "./migrations/index.ts";

/** Of the advisory lock that all nodes share: any number that other programs are unlikely to use. */
const LOCK = 543_254_789;
const MONTHS_AHEAD = 2;

/**
 * Brings the database to the layout of this program, one node at a time. A database that a newer program has changed is refused
 * with ServeError; others reject with StoreError.
 */
export async function migrate(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    const done = await appliedMigrations(query);
    if (done > MIGRATIONS.length) {
      throw new ServeError(
        `the database was made ready by a newer pintle (layout ${done}, this one knows ${MIGRATIONS.length}): update this one first`,
      );
    }
    for (const [at, { name, sql }] of MIGRATIONS.entries()) {
      if (at < done) continue;
      await query(sql);
      await query("INSERT INTO pintle.migrations (number, name) VALUES ($1, $2)", [at + 1, name]);
    }
    // Also where nothing was migrated: no node may have run for months.
    await query("SELECT pintle.make_partitions($1)", [MONTHS_AHEAD]);
  });
}

/** The months ahead get their partitions before the first session needs them. */
export async function makePartitions(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await query("SELECT pintle.make_partitions($1)", [MONTHS_AHEAD]);
  });
}

/** Looked for before it is made: a role that may not make schemas can be given one. */
async function appliedMigrations(query: Query): Promise<number> {
  const schema = await query("SELECT 1 FROM pg_namespace WHERE nspname = 'pintle'");
  if (schema.length === 0) await query("CREATE SCHEMA pintle");
  await query(
    `CREATE TABLE IF NOT EXISTS pintle.migrations (
       number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`,
  );
  const [newest] = await query<{ number: number }>(
    "SELECT coalesce(max(number), 0)::int AS number FROM pintle.migrations",
  );
  return newest?.number ?? 0;
}
