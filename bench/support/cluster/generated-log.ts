import type { SQL } from "bun";

export interface GeneratedOptions {
  entries: number;
  /** Average number of entries of a session. */
  perSession: number;
  jobs: number;
  cwd: string;
  report(text: string): void;
}

/** Number of months in which sessions were created; this month is the last. */
const MONTHS = 12;
/** Number of entries of one run, which are stored consecutively; entries of other sessions follow. */
const BURST = 8;
/** Number of other nodes that have sessions open: one session in twenty. */
const NODES = 50;
const OPEN = 20;

/** The entries that an engine writes, without id and parent: a prompt, a call, its result, an answer. */
const BODIES = [
  { role: "user", content: [{ type: "text", text: "TEXT" }], attribution: "user", timestamp: 1_790_000_000_000 },
  assistant([{ type: "toolCall", id: "off_1", name: "bash", arguments: { command: "TEXT" } }], "toolUse"),
  {
    role: "toolResult",
    toolCallId: "off_1",
    toolName: "bash",
    content: [{ type: "text", text: "TEXT" }],
    details: { exitCode: 0, durationMs: 12 },
    isError: false,
    timestamp: 1_790_000_000_000,
  },
  assistant([{ type: "text", text: "TEXT" }], "stop"),
];

function assistant(content: object[], stopReason: string): object {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 1_680, output: 58, cacheRead: 0, cacheWrite: 0, totalTokens: 1_738, cost };
  const rest = { usage, stopReason, timestamp: 1_790_000_000_000, ttft: 3, duration: 4 };
  return { role: "assistant", content, api: "pintle-offline", provider: "pintle", model: "offline", ...rest };
}

/**
 * Fills the tables like a year of use: one session in a hundred is long, nine are longer than most, and runs of different
 * sessions alternate on the disk. The tables must exist and be empty.
 */
export async function generate(sql: SQL, options: GeneratedOptions): Promise<void> {
  const { entries, perSession, jobs, cwd, report } = options;
  const sessions = Math.ceil(entries / perSession);
  await sql.unsafe(`CREATE UNLOGGED TABLE made AS
    SELECT n, gen_random_uuid()::text AS id,
      (date_trunc('month', now()) - make_interval(months => n / 100 % ${MONTHS}))::date + n % 17 AS born,
      greatest(4, (${perSession} * CASE WHEN n % 100 = 0 THEN 28 WHEN n % 100 < 10 THEN 4 ELSE 0.4 END)::int) AS length
    FROM generate_series(1, ${sessions}) AS n`);
  for (let month = MONTHS - 1; month > 0; month -= 1) await makePartition(sql, month);
  await sql.unsafe(
    `INSERT INTO pintle.sessions (session_id, born, cwd, header, plan, position, writes, name, first_message, message_count,
       cost, created_at, updated_at)
     SELECT id, born, $1::text, json_build_object('type', 'session', 'version', 3, 'id', id, 'timestamp', born, 'cwd', $1::text)::text, '{"lasting":[],"commands":[]}',
       length, length, CASE WHEN n % 3 = 0 THEN 'work on part ' || n END, 'please look at file ' || md5(n::text), length, n % 100 / 10.0,
       born, born + make_interval(mins => n % 1440) FROM made`,
    [cwd],
  );
  await sql.unsafe(`INSERT INTO pintle.nodes (node_id, name, version, max_workers, expires_at)
    SELECT 'other-' || n, 'other-' || n, '0', 200, now() + interval '1 day' FROM generate_series(0, ${NODES - 1}) AS n`);
  await sql.unsafe(`INSERT INTO pintle.leases (session_id, node_id, fence, expires_at, status)
    SELECT id, CASE WHEN n % ${OPEN} = 1 THEN 'other-' || n / ${OPEN} % ${NODES} END, 1 + n % 5,
      CASE WHEN n % ${OPEN} = 1 THEN now() + interval '1 day' ELSE born END,
      CASE WHEN n % ${OPEN} = 1 THEN 'idle' ELSE 'stored' END FROM made`);
  report(`${sessions} sessions`);
  for (let month = MONTHS - 1; month >= 0; month -= 1) {
    const count = await insertEntries(sql, month);
    report(`${count} entries of ${month} months ago`);
  }
  await insertCommands(sql);
  await insertJobs(sql, jobs);
  await sql.unsafe("DROP TABLE made");
  await sql.unsafe("VACUUM (ANALYZE)");
}

async function makePartition(sql: SQL, ago: number): Promise<void> {
  await sql.unsafe(`DO $$ DECLARE first date := (date_trunc('month', now()) - interval '${ago} months')::date; BEGIN
    EXECUTE format('CREATE TABLE pintle.%I PARTITION OF pintle.entries FOR VALUES FROM (%L) TO (%L)',
      'entries_' || to_char(first, 'YYYY_MM'), first, (first + interval '1 month')::date); END $$`);
}

/** Messages are hard to compress, like many real ones: about 300 characters each. */
async function insertEntries(sql: SQL, ago: number): Promise<number> {
  const rests = BODIES.map(
    (message) => `,"timestamp":"2026-10-01T10:00:00.000Z","message":${JSON.stringify(message)}}`,
  );
  const result = await sql.unsafe(
    `INSERT INTO pintle.entries (session_id, position, born, entry_id, fence, stored_at, line)
     SELECT id, position, born, lpad(to_hex(position), 8, '0'), 1, born + make_interval(mins => burst),
       '{"type":"message","id":"' || lpad(to_hex(position), 8, '0') || '","parentId":'
         || CASE WHEN position = 1 THEN 'null' ELSE '"' || lpad(to_hex(position - 1), 8, '0') || '"' END
         || replace((ARRAY[$1::text, $2, $3, $4])[1 + (position - 1) % 4],
              'TEXT', 'words ' || repeat(md5(n::text || position::text) || ' ', 4 + (n + position) % 10))
     FROM generate_series(0, (SELECT max(length) FROM made) / ${BURST}) AS burst
     JOIN made ON length > burst * ${BURST}
       AND born >= (date_trunc('month', now()) - interval '${ago} months')::date
       AND born < (date_trunc('month', now()) - interval '${ago - 1} months')::date,
     LATERAL generate_series(burst * ${BURST} + 1, least(length, burst * ${BURST} + ${BURST})) AS position
     ORDER BY burst`,
    rests,
  );
  return result.count;
}

/** Inserts one accepted prompt for every fourth entry of this month's sessions, because nodes keep them for seven days. */
async function insertCommands(sql: SQL): Promise<void> {
  await sql.unsafe(`INSERT INTO pintle.commands
      (session_id, fence, ref, command_key, command, frame, response, accepted_at, entry_id, ended_at, outcome)
    SELECT id, 1, 'c' || position, id || '-' || position, 'prompt', '{"type":"prompt","message":"words"}',
      '"type":"response","command":"prompt","success":true}', ended, lpad(to_hex(position), 8, '0'), ended, 'completed'
    FROM made, LATERAL (SELECT now() - make_interval(hours => n % 170) AS ended) AS at, LATERAL generate_series(1, length, 4) AS position WHERE n / 100 % ${MONTHS} = 0`);
}

/** Inserts jobs: 99 of 100 have ended, and half of the waiting ones have a deadline. */
async function insertJobs(sql: SQL, jobs: number): Promise<void> {
  await sql.unsafe(`INSERT INTO pintle.jobs (job_id, status, prompt, attempt, submitted_at, started_at, ended_at, result,
      deadline)
    SELECT 'j' || n, CASE WHEN n % 100 = 0 THEN 'queued' WHEN n % 20 = 0 THEN 'failed' ELSE 'done' END, 'run echo ' || n,
      CASE WHEN n % 100 = 0 THEN 0 ELSE 1 END, now() - make_interval(secs => n), now() - make_interval(secs => n),
      CASE WHEN n % 100 <> 0 THEN now() END, CASE WHEN n % 100 <> 0 THEN md5(n::text) END,
      CASE WHEN n % 200 = 0 THEN now() + interval '1 day' END
    FROM generate_series(1, ${jobs}) AS n`);
  await sql.unsafe(`INSERT INTO pintle.job_attempts (job_id, attempt, node_id, session_id, outcome, started_at, ended_at)
    SELECT job_id, 1, 'other-1', gen_random_uuid()::text, status, started_at, ended_at FROM pintle.jobs WHERE attempt = 1`);
}
