import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { Evidence, LeaseChange, SessionFile, TranscriptLine } from "./evidence.ts";

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

const QUERIES = {
  sessions: `SELECT session_id AS "sessionId", position::int FROM pintle.sessions ORDER BY 1`,
  entries: `SELECT session_id AS "sessionId", position::int, entry_id AS "entryId", fence::int, ${ms("stored_at")} AS "storedAt", line
    FROM pintle.entries ORDER BY session_id, position, stored_at`,
  commands: `SELECT session_id AS "sessionId", command_key AS "commandKey", command, response, fence::int
    FROM pintle.commands ORDER BY accepted_at, session_id, ref`,
  leaseChanges: `SELECT session_id AS "sessionId", ${ms("at")} AS at, old_node AS "oldNode", old_fence::int AS "oldFence",
    ${ms("old_expires_at")} AS "oldExpiresAt", node, fence::int FROM audit.leases ORDER BY n`,
  jobs: `SELECT job_id AS "jobId", command_key AS "commandKey", status, prompt, attempts, attempt, result
    FROM pintle.jobs ORDER BY submitted_at, job_id`,
  attempts: `SELECT job_id AS "jobId", attempt, node_id AS "nodeId", session_id AS "sessionId", outcome,
    ${ms("started_at")} AS "startedAt", ${ms("ended_at")} AS "endedAt" FROM pintle.job_attempts ORDER BY job_id, attempt`,
  jobChanges: `SELECT job_id AS "jobId", ${ms("at")} AS at, old_status AS "oldStatus", old_node AS "oldNode",
    ${ms("old_expires_at")} AS "oldExpiresAt", old_attempt AS "oldAttempt", status, node, attempt FROM audit.jobs ORDER BY n`,
  rewrites: `SELECT table_name AS table, what FROM audit.rewrites ORDER BY n`,
} as const;

/**
 * Reads everything that is left of a finished run.
 * @param transcripts a folder of `*.jsonl`, a file per host
 * @param files folders in which nodes keep session files; the one of the session's last owner is used
 */
export async function readEvidence(adminUrl: string, transcripts: string, files: readonly string[]): Promise<Evidence> {
  await using sql = new SQL({ url: adminUrl, max: 1 });
  const rows: Record<string, unknown> = {};
  await sql.begin("isolation level repeatable read read only", async (all) => {
    for (const [name, text] of Object.entries(QUERIES)) rows[name] = [...(await all.unsafe(text))];
  });
  const tables = rows as unknown as Pick<Evidence, keyof typeof QUERIES>;
  return {
    ...tables,
    transcripts: readTranscripts(transcripts),
    files: readSessionFiles(files, tables.leaseChanges),
  };
}

function readTranscripts(folder: string): TranscriptLine[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => linesOf(join(folder, name)))
    .map((line) => JSON.parse(line) as TranscriptLine);
}

/** Below each directory there is one per start of a node, named after its id in the leases. */
function readSessionFiles(folders: readonly string[], leaseChanges: readonly LeaseChange[]): SessionFile[] {
  const owners = new Map<string, string>();
  const givenBack = new Map<string, boolean>();
  for (const { sessionId, node } of leaseChanges) {
    givenBack.set(sessionId, node === null);
    if (node !== null) owners.set(sessionId, node);
  }
  const newest = new Map<string, FoundFile>();
  for (const found of folders.flatMap((folder) => (existsSync(folder) ? filesBelow(folder) : []))) {
    if (owners.get(found.sessionId) !== found.node) continue;
    // A node that opens a session again writes another file; the previous one stays.
    if (found.changedAt >= (newest.get(found.sessionId)?.changedAt ?? 0)) newest.set(found.sessionId, found);
  }
  return [...newest.values()].map(({ sessionId, lines }) => ({
    sessionId,
    lines,
    isGivenBack: givenBack.get(sessionId) ?? false,
  }));
}

interface FoundFile extends Omit<SessionFile, "isGivenBack"> {
  node: string;
  changedAt: number;
}

function filesBelow(folder: string): FoundFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => {
      const path = join(folder, name);
      const [header = "{}", ...lines] = linesOf(path);
      const { id } = JSON.parse(header) as { id: string };
      return { sessionId: id, lines, node: name.slice(0, name.indexOf("/")), changedAt: statSync(path).mtimeMs };
    });
}

function linesOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
