import type { Database } from "./database.ts";

/** Rows that no one asks for any more: nodes that are long gone, and keys that no host repeats. */
const OLD = [
  "DELETE FROM pintle.nodes WHERE expires_at < clock_timestamp() - interval '1 day'",
  "DELETE FROM pintle.commands WHERE ended_at < clock_timestamp() - interval '7 days'",
];

/** Rejects with StoreError. */
export async function tidy(database: Database): Promise<void> {
  for (const statement of OLD) await database.query(statement);
}
