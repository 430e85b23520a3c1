import type { Database } from "./database.ts";

/**
 * Deletes rows that nothing needs any more: nodes that are long gone, and keys that no host repeats. An index on a time is used
 * only if the time is constant within the statement.
 */
const OLD = [
  "DELETE FROM pintle.nodes WHERE expires_at < statement_timestamp() - interval '1 day'",
  "DELETE FROM pintle.commands WHERE ended_at < statement_timestamp() - interval '7 days'",
];

/** Rejects with StoreError. */
export async function tidy(database: Database): Promise<void> {
  for (const statement of OLD) await database.query(statement);
}
