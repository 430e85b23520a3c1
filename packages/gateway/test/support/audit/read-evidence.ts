import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { Evidence, SessionFile, TranscriptLine } from "./evidence.ts";

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

const QUERIES = {
  sessions: `SELECT session_id AS "sessionId", position::int FROM pintle.sessions ORDER BY 1`,
  entries: `SELECT session_id AS "sessionId", position::int, entry_id AS "entryId", fence::int, ${ms("stored_at")} AS "storedAt", line
    FROM pintle.entries ORDER BY session_id, position, stored_at`,
  commands: `SELECT session_id AS "sessionId", command_key AS "commandKey", command, response, fence::int
    FROM pintle.commands ORDER BY command_id`,
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
 * Everything that is left of a run, when it is over.
 * @param transcripts a folder of `*.jsonl`, a file per host
 * @param files folders that hold the session files of the nodes that had the sessions last
 */
export async function readEvidence(adminUrl: string, transcripts: string, files: readonly string[]): Promise<Evidence> {
  await using sql = new SQL({ url: adminUrl, max: 1 });
  const rows: Record<string, unknown> = {};
  await sql.begin("isolation level repeatable read read only", async (all) => {
    for (const [name, text] of Object.entries(QUERIES)) rows[name] = [...(await all.unsafe(text))];
  });
  return {
    ...(rows as Pick<Evidence, keyof typeof QUERIES>),
    transcripts: readTranscripts(transcripts),
    files: files.flatMap(readSessionFiles),
  };
}

function readTranscripts(folder: string): TranscriptLine[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => linesOf(join(folder, name)))
    .map((line) => JSON.parse(line) as TranscriptLine);
}

/** Below the folder, at any depth; the first line of each names its session. */
function readSessionFiles(folder: string): SessionFile[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => {
      const [header = "{}", ...lines] = linesOf(join(folder, name));
      return { sessionId: (JSON.parse(header) as { id: string }).id, lines };
    });
}

function linesOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
}
