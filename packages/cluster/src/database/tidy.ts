import type { Database } from "./database.ts";

/**
 * Rows that no one asks for any more: nodes that are long gone, and keys that no host repeats. Their index is searched by a time
 * only if it is the same for the whole statement.
 */
const OLD = [
  "DELETE FROM pintle.nodes WHERE expires_at < statement_timestamp() - interval '1 day'",
  "DELETE FROM pintle.commands WHERE ended_at < statement_timestamp() - interval '7 days'",
];

/** Rejects with StoreError. */
export async function tidy(database: Database): Promise<void> {
  for (const statement of OLD) await database.query(statement);
}
