import { randomUUID } from "node:crypto";
import { CommandError, type JobQueue } from "@pintle/gateway/cluster";
import type { Job } from "@pintle/wire";
import type { GatewayParams, GatewayResult } from "@pintle/wire/gateway";
import type { Database, SqlValue } from "../database/database.ts";
import { inFuture, type NodeFacts } from "../nodes.ts";
import { JOB_COLUMNS, type JobRow, pageCursor, readCursor, toJob } from "./job-rows.ts";
import type { JobChange, JobOutcome, JobTable, TakenJob } from "./job-table.ts";

const CHANNEL = "pintle_jobs";
const CANCELLED = "cancelled";
const DEFAULT_ATTEMPTS = 2;
const DEFAULT_RETRY_MS = 5_000;
const MAX_RETRY_MS = 3_600_000;
const PAGE = 50;
const NOW = "clock_timestamp()";
/** An index on a time is used only if the time is constant within the statement. */
const BEGAN = "statement_timestamp()";
const LOST = "The node that ran it was lost";
const TOO_LATE = "It was not done by its deadline";

interface TakenRow {
  jobId: string;
  attempt: number;
  prompt: string;
  params: string;
  remainingMs: number | null;
}

/**
 * The queue of all nodes. Takes a row by locking it, so that no two nodes have it. Every write names the attempt, so a node
 * that was suspended and resumes cannot write anything.
 */
export class PostgresJobs implements JobQueue, JobTable {
  readonly #database: Database;
  readonly #node: NodeFacts;
  readonly #leaseMs: number;

  constructor(database: Database, node: NodeFacts, leaseMs: number) {
    this.#database = database;
    this.#node = node;
    this.#leaseMs = leaseMs;
  }

  async submit(params: GatewayParams<"submit">, commandKey: string | undefined): Promise<GatewayResult<"submit">> {
    const { prompt, deadline = null, attempts = DEFAULT_ATTEMPTS, priority = 0, retryAfter, ...start } = params;
    const labels = [...new Set(start.labels)].sort(); // one spelling per set, because the queue is read set by set
    const [row] = await this.#database.query<{ jobId: string }>(
      `WITH submitted AS (
         INSERT INTO pintle.jobs AS job
           (job_id, command_key, prompt, params, needs, attempts, deadline, priority, retry_after_ms)
         VALUES ($1, $2, $3, $4, ARRAY(SELECT json_array_elements_text($5::text::json)), $6, ${inFuture("$7")}, $8, $9)
         ON CONFLICT (command_key) DO UPDATE SET command_key = excluded.command_key
         RETURNING job_id)
       SELECT job_id AS "jobId", pg_notify('${CHANNEL}', '') FROM submitted`,
      [
        randomUUID(),
        commandKey ?? null,
        prompt,
        JSON.stringify(start),
        JSON.stringify(labels),
        attempts,
        deadline,
        priority,
        retryAfter ?? DEFAULT_RETRY_MS,
      ],
    );
    return { jobId: row!.jobId };
  }

  async get(jobId: string): Promise<Job> {
    const [row] = await this.#database.query<JobRow>(
      `SELECT ${JOB_COLUMNS}, result, prompt_result AS "promptResult" FROM pintle.jobs AS job WHERE job_id = $1`,
      [jobId],
    );
    if (!row) throw new CommandError("not_found", `There is no job ${jobId}`);
    return toJob(row);
  }

  async cancel(jobId: string): Promise<Job> {
    await this.#database.query(
      `UPDATE pintle.jobs SET is_cancelled = true,
         status = CASE status WHEN 'queued' THEN 'cancelled' ELSE status END,
         ended_at = CASE status WHEN 'queued' THEN ${NOW} ELSE ended_at END
       WHERE job_id = $1 AND status IN ('queued', 'running') RETURNING pg_notify('${CHANNEL}', '${CANCELLED}')`,
      [jobId],
    );
    return this.get(jobId);
  }

  async retry(jobId: string): Promise<Job> {
    const rows = await this.#database.query(
      `UPDATE pintle.jobs SET status = 'queued', is_cancelled = false, error = NULL, result = NULL, cost = NULL, prompt_result = NULL, ended_at = NULL,
         node_id = NULL, expires_at = NULL, not_before = NULL, attempts = attempt - handed_over + ${DEFAULT_ATTEMPTS},
         deadline = CASE WHEN deadline > ${NOW} THEN deadline END
       WHERE job_id = $1 AND status IN ('dead', 'failed', 'cancelled') RETURNING pg_notify('${CHANNEL}', '')`,
      [jobId],
    );
    const job = await this.get(jobId);
    if (rows.length === 0)
      throw new CommandError(
        "invalid_request",
        `The job ${jobId} is ${job.status}: only one that is dead, failed or cancelled can be retried`,
      );
    return job;
  }

  async list({ status, limit = PAGE, cursor }: GatewayParams<"list_jobs">): Promise<GatewayResult<"list_jobs">> {
    const values: SqlValue[] = [limit + 1];
    const value = (one: SqlValue) => `$${values.push(one)}`;
    const conditions: string[] = [];
    if (status !== undefined) conditions.push(`status = ${value(status)}`);
    if (cursor !== undefined) {
      const { submittedAt, jobId } = readCursor(cursor);
      conditions.push(`(submitted_at, job_id) < (${value(submittedAt)}::timestamptz, ${value(jobId)})`);
    }
    const rows = await this.#database.query<JobRow>(
      `SELECT ${JOB_COLUMNS} FROM pintle.jobs AS job
       WHERE ${conditions.join(" AND ") || "true"} ORDER BY submitted_at DESC, job_id DESC LIMIT $1`,
      values,
    );
    const page = rows.slice(0, limit);
    return { jobs: page.map(toJob), ...(rows.length > limit && { nextCursor: pageCursor(page.at(-1)!) }) };
  }

  async take(count: number): Promise<TakenJob[]> {
    const rows = await this.#database.query<TakenRow>(
      `WITH RECURSIVE sets AS (
         (SELECT needs FROM pintle.jobs WHERE status = 'queued' ORDER BY needs LIMIT 1)
         UNION ALL
         SELECT (SELECT job.needs FROM pintle.jobs AS job WHERE job.status = 'queued' AND job.needs > sets.needs
                 ORDER BY job.needs LIMIT 1)
         FROM sets WHERE sets.needs IS NOT NULL),
       ready AS MATERIALIZED (
         SELECT job.job_id, job.priority, job.submitted_at
         FROM (SELECT needs FROM sets WHERE needs <@ ARRAY(SELECT json_array_elements_text($2::text::json))) AS fitting
         CROSS JOIN LATERAL (
           SELECT job_id, priority, submitted_at FROM pintle.jobs
           WHERE status = 'queued' AND needs = fitting.needs AND (deadline IS NULL OR deadline > ${NOW})
             AND (not_before IS NULL OR not_before <= ${NOW})
           ORDER BY priority DESC, submitted_at, job_id LIMIT $3 FOR UPDATE SKIP LOCKED) AS job),
       next AS (SELECT job_id FROM ready ORDER BY priority DESC, submitted_at, job_id LIMIT $3),
       taken AS (
         UPDATE pintle.jobs AS job SET status = 'running', attempt = job.attempt + 1, node_id = $1, session_id = NULL,
           started_at = ${NOW}, expires_at = ${inFuture("$4")}
         FROM next WHERE job.job_id = next.job_id
         RETURNING job.job_id, job.attempt, job.prompt, job.params, job.deadline, job.priority, job.submitted_at),
       noted AS (
         INSERT INTO pintle.job_attempts (job_id, attempt, node_id) SELECT job_id, attempt, $1 FROM taken)
       SELECT job_id AS "jobId", attempt, prompt, params,
         (extract(epoch FROM deadline - ${NOW}) * 1000)::float8 AS "remainingMs"
       FROM taken ORDER BY priority DESC, submitted_at, job_id`,
      [this.#node.nodeId, JSON.stringify(this.#node.labels), count, this.#leaseMs],
    );
    return rows.map(({ params, remainingMs, ...row }) => ({
      ...row,
      start: JSON.parse(params) as TakenJob["start"],
      remainingMs: remainingMs ?? undefined,
    }));
  }

  async extend(held: readonly Pick<TakenJob, "jobId" | "attempt">[]): Promise<Map<string, { isCancelled: boolean }>> {
    const own = held.map(({ jobId, attempt }) => ({ jobId, attempt }));
    const rows = await this.#database.query<{ jobId: string; isCancelled: boolean }>(
      `UPDATE pintle.jobs AS job SET expires_at = ${inFuture("$2")}
       FROM json_to_recordset($3::text::json) AS held("jobId" text, attempt integer)
       WHERE job.job_id = held."jobId" AND job.attempt = held.attempt AND job.node_id = $1 AND job.status = 'running'
       RETURNING job.job_id AS "jobId", job.is_cancelled AS "isCancelled"`,
      [this.#node.nodeId, this.#leaseMs, JSON.stringify(own)],
    );
    return new Map(rows.map(({ jobId, isCancelled }) => [jobId, { isCancelled }]));
  }

  async began({ jobId, attempt }: TakenJob, sessionId: string): Promise<boolean> {
    const rows = await this.#database.query(
      `WITH begun AS (
         UPDATE pintle.jobs SET session_id = $4 WHERE job_id = $1 AND attempt = $2 AND node_id = $3 AND status = 'running'
         RETURNING job_id, attempt)
       UPDATE pintle.job_attempts AS noted SET session_id = $4 FROM begun
       WHERE noted.job_id = begun.job_id AND noted.attempt = begun.attempt RETURNING 1`,
      [jobId, attempt, this.#node.nodeId, sessionId],
    );
    return rows.length > 0;
  }

  async ended(
    { jobId, attempt }: TakenJob,
    { status, result, error, cost, promptResult }: JobOutcome,
  ): Promise<boolean> {
    const rows = await this.#database.query(
      `WITH ended AS (
         UPDATE pintle.jobs SET status = $4, result = $5, error = $6, cost = $7, prompt_result = $8, ended_at = ${NOW}
         WHERE job_id = $1 AND attempt = $2 AND node_id = $3 AND status = 'running' RETURNING job_id, attempt)
       UPDATE pintle.job_attempts AS noted SET outcome = $4, ended_at = ${NOW} FROM ended
       WHERE noted.job_id = ended.job_id AND noted.attempt = ended.attempt RETURNING 1`,
      [
        jobId,
        attempt,
        this.#node.nodeId,
        status,
        result ?? null,
        error ?? null,
        cost ?? null,
        promptResult ? JSON.stringify(promptResult) : null,
      ],
    );
    return rows.length > 0;
  }

  async giveBack({ jobId, attempt }: TakenJob, how: "lost" | "left" | "unbegun"): Promise<void> {
    const own = "job_id = $1 AND attempt = $2 AND node_id = $3 AND status = 'running'";
    const values = [jobId, attempt, this.#node.nodeId];
    if (how !== "unbegun") {
      await this.#database.query(leaveSql(own, how), values);
      return;
    }
    await this.#database.query(
      `WITH back AS (
         UPDATE pintle.jobs SET attempt = attempt - 1, node_id = NULL, expires_at = NULL,
           status = CASE WHEN is_cancelled THEN 'cancelled' ELSE 'queued' END,
           ended_at = CASE WHEN is_cancelled THEN ${NOW} END
         WHERE ${own} RETURNING job_id, attempt)
       DELETE FROM pintle.job_attempts AS noted USING back
       WHERE noted.job_id = back.job_id AND noted.attempt = back.attempt + 1`,
      values,
    );
  }

  async tidy(): Promise<void> {
    await this.#database.query(
      `UPDATE pintle.jobs SET status = 'failed', error = '${TOO_LATE}', ended_at = ${NOW}
       WHERE status = 'queued' AND deadline <= ${BEGAN}`,
    );
    const lost = `job_id IN (
      SELECT job_id FROM pintle.jobs WHERE status = 'running' AND expires_at <= ${BEGAN} FOR UPDATE SKIP LOCKED)`;
    await this.#database.query(leaveSql(lost, "lost"));
  }

  onChanged(listener: (what: JobChange) => void): void {
    this.#database.listen(CHANNEL, (payload) => listener(payload === CANCELLED ? "cancelled" : "submitted"));
  }
}

/**
 * Releases the job of a node that is lost or shutting down. Another node may start it again if attempts are left. An orderly
 * shutdown uses up no attempt; after a loss the job waits, because it may be the cause.
 */
function leaveSql(which: string, how: "lost" | "left"): string {
  const handedOver = how === "left" ? 1 : 0;
  const isLate = `deadline <= ${NOW}`;
  const isUsedUp = `attempt - handed_over - ${handedOver} >= attempts`;
  const pauseMs = `least(retry_after_ms * 2.0 ^ (attempt - handed_over - 1), ${MAX_RETRY_MS})`;
  return `WITH gone AS (
      UPDATE pintle.jobs SET expires_at = NULL, handed_over = handed_over + ${handedOver},
        status = CASE WHEN is_cancelled THEN 'cancelled' WHEN ${isLate} THEN 'failed' WHEN ${isUsedUp} THEN 'dead' ELSE 'queued' END,
        error = CASE WHEN is_cancelled THEN error WHEN ${isLate} THEN '${TOO_LATE}' WHEN ${isUsedUp} THEN '${LOST}' ELSE error END,
        not_before = ${how === "left" ? "NULL" : inFuture(`(${pauseMs})`)},
        ended_at = CASE WHEN is_cancelled OR ${isLate} OR ${isUsedUp} THEN ${NOW} END
      WHERE ${which} RETURNING job_id, attempt, pg_notify('${CHANNEL}', ''))
    UPDATE pintle.job_attempts AS noted SET outcome = '${how}', ended_at = ${NOW} FROM gone
    WHERE noted.job_id = gone.job_id AND noted.attempt = gone.attempt`;
}
