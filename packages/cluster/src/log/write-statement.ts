import { type Batch, storable } from "@pintle/gateway/cluster";
import type { SqlValue } from "../database/database.ts";
import type { Lease } from "../leases.ts";

/** Longer lines are passed as parameters of their own, because their text would be encoded twice inside a list. */
const LONG_LINE = 256 * 1024;

/** Collects the values of a statement; `add` returns a value's placeholder. */
class Values {
  readonly all: SqlValue[] = [];

  readonly add = (value: SqlValue): string => `$${this.all.push(value)}`;
}

/**
 * Builds one statement, so that there is one commit, with only the parts that the batch needs, because each costs server time.
 * Locks the lease first: either taking the lease waits for this commit, or this commit sees that it was taken. `writes` counts
 * commits, so a commit whose response was lost is recognized.
 */
export function writeStatement({ sessionId, fence }: Lease, nodeId: string, writes: number, batch: Batch) {
  const values = new Values();
  const { add } = values;
  const session = add(sessionId);
  const fenced = `${add(fence)}::bigint`;
  const count = `${add(batch.entries.length)}::bigint`;
  const changes = [
    "writes = writes + 1",
    ...(batch.entries.length > 0 ? [`position = position + ${count}`, "updated_at = clock_timestamp()"] : []),
    ...(batch.messages > 0 ? [`message_count = message_count + ${add(batch.messages)}::int`] : []),
    ...(batch.cost === undefined ? [] : [`cost = coalesce(cost, 0) + ${add(batch.cost)}::float8`]),
    ...(batch.name === undefined ? [] : [`name = ${add(batch.name)}::text`]),
    ...(batch.firstMessage === undefined
      ? []
      : [`first_message = coalesce(first_message, ${add(batch.firstMessage)}::text)`]),
    ...(batch.header === undefined ? [] : [`header = ${add(batch.header)}::text`]),
    ...(batch.kept === undefined ? [] : [`kept_commands = ${add(batch.kept)}::text`]),
  ];
  const parts = [
    // `=` would let the planner scan all leases of a node about which it has no statistics yet.
    `held AS (
      SELECT 1 FROM pintle.leases
      WHERE session_id = ${session} AND fence = ${fenced} AND node_id IS NOT DISTINCT FROM ${add(nodeId)} FOR SHARE)`,
    `session AS (
      UPDATE pintle.sessions SET ${changes.join(", ")}
      WHERE session_id = ${session} AND writes = ${add(writes)}::bigint AND EXISTS (SELECT 1 FROM held)
      RETURNING born, position - ${count} AS position)`,
  ];
  if (batch.entries.length > 0) {
    parts.push(`appended AS (
      INSERT INTO pintle.entries (session_id, position, born, entry_id, fence, line)
      SELECT ${session}, session.position + entry.n, session.born, entry."entryId", ${fenced}, entry.line
      FROM session, ${entriesOf(batch, add)})`);
  }
  if (batch.blobs.size > 0) {
    parts.push(`used AS (
      INSERT INTO pintle.blob_uses (session_id, hash)
      SELECT ${session}, hash FROM session, json_array_elements_text(${add(JSON.stringify([...batch.blobs]))}::text::json) AS hash
      ON CONFLICT DO NOTHING)`);
  }
  if (batch.accepted.size > 0) {
    const accepted = [...batch.accepted.values()].map((one) => ({ ...one, key: one.key && storable(one.key) }));
    parts.push(`accepted AS (
      INSERT INTO pintle.commands (session_id, fence, ref, command_key, command, frame, response, entry_id, outcome, ended_at)
      SELECT ${session}, ${fenced}, ref, key, command, frame, response, "entryId", outcome,
        CASE WHEN outcome IS NULL THEN NULL ELSE clock_timestamp() END
      FROM session, json_to_recordset(${add(JSON.stringify(accepted))}::text::json)
        AS one(ref text, key text, command text, frame text, response text, "entryId" text, outcome text)
      ON CONFLICT DO NOTHING)`);
  }
  if (batch.changes.size > 0) {
    parts.push(`changed AS (
      UPDATE pintle.commands AS command SET
        entry_id = coalesce(change."entryId", command.entry_id),
        outcome = coalesce(change.outcome, command.outcome),
        response = coalesce(change.response, command.response),
        ended_at = CASE WHEN change.outcome IS NULL THEN command.ended_at ELSE clock_timestamp() END
      FROM session, json_to_recordset(${add(JSON.stringify([...batch.changes.values()]))}::text::json)
        AS change(fence bigint, ref text, "entryId" text, outcome text, response text)
      WHERE command.session_id = ${session} AND command.fence = change.fence AND command.ref = change.ref)`);
  }
  const text = `WITH ${parts.join(",\n")}
    SELECT (SELECT count(*)::int FROM held) AS held, (SELECT count(*)::int FROM session) AS written,
      (SELECT writes::text FROM pintle.sessions WHERE session_id = ${session}) AS writes`;
  return { text, values: values.all };
}

/** Returns a table expression with `n`, `entryId` and `line`. */
function entriesOf({ entries }: Batch, add: (value: SqlValue) => string): string {
  const [first] = entries;
  if (entries.length === 1 && first && first.line.length > LONG_LINE) {
    return `(SELECT 1 AS n, ${add(first.entryId)}::text AS "entryId", ${add(first.line)}::text AS line) AS entry`;
  }
  const listed = entries.map(({ entryId, line }, at) => ({ n: at + 1, entryId, line }));
  return `json_to_recordset(${add(JSON.stringify(listed))}::text::json) AS entry(n bigint, "entryId" text, line text)`;
}
