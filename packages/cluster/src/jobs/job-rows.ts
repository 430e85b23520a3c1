import { isRecord } from "@pintle/ai";
import { CommandError } from "@pintle/gateway/cluster";
import type { Job } from "@pintle/wire";

const SHOWN_CHARACTERS = 500;
/** In whole microseconds, so that a page continues exactly after its last row. */
const time = (column: string, name: string) =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "${name}"`;

/** The columns of `pintle.jobs AS job`, without the result, which may be long. */
export const JOB_COLUMNS = `job_id AS "jobId", status, left(prompt, ${SHOWN_CHARACTERS}) AS prompt, to_json(needs)::text AS labels,
  attempt - handed_over AS attempt, attempts, priority, session_id AS "sessionId", is_cancelled AS "isCancelled", error, cost,
  coalesce((SELECT name FROM pintle.nodes WHERE nodes.node_id = job.node_id), regexp_replace(node_id, '-[0-9a-f]{8}$', '')) AS node,
  ${time("deadline", "deadline")}, ${time("CASE WHEN status = 'queued' AND not_before > clock_timestamp() THEN not_before END", "notBefore")}, ${time("submitted_at", "submittedAt")}, ${time("started_at", "startedAt")},
  ${time("ended_at", "endedAt")}`;

export interface JobRow
  extends Pick<Job, "jobId" | "status" | "prompt" | "attempt" | "attempts" | "priority" | "submittedAt"> {
  /** JSON. */
  labels: string;
  isCancelled: boolean;
  sessionId: string | null;
  node: string | null;
  /** Only for a single job. */
  result?: string | null;
  /** JSON; only for a single job. */
  promptResult?: string | null;
  error: string | null;
  cost: number | null;
  notBefore: string | null;
  deadline: string | null;
  startedAt: string | null;
  endedAt: string | null;
}

export function toJob(row: JobRow): Job {
  const { jobId, status, prompt, attempt, attempts, priority, submittedAt, isCancelled } = row;
  const { sessionId, node, result, promptResult, error, cost, notBefore, deadline, startedAt, endedAt } = row;
  return {
    jobId,
    status,
    prompt,
    labels: JSON.parse(row.labels) as string[],
    attempt,
    attempts,
    priority,
    ...(sessionId !== null && { sessionId }),
    ...(node !== null && { node }),
    ...(isCancelled && status === "running" && { isCancelling: true }),
    ...(result !== null && result !== undefined && { result }),
    ...(promptResult && { promptResult: JSON.parse(promptResult) as object }),
    ...(error !== null && { error }),
    ...(cost !== null && { cost }),
    ...(notBefore !== null && { notBefore }),
    ...(deadline !== null && { deadline }),
    submittedAt,
    ...(startedAt !== null && { startedAt }),
    ...(endedAt !== null && { endedAt }),
  };
}

export function pageCursor({ submittedAt, jobId }: JobRow): string {
  return Buffer.from(JSON.stringify({ submittedAt, jobId })).toString("base64url");
}

/** Throws CommandError for a cursor of another listing. */
export function readCursor(cursor: string): { submittedAt: string; jobId: string } {
  const read = parse(Buffer.from(cursor, "base64url").toString());
  if (isRecord(read) && typeof read.jobId === "string" && /^\d{4}-[\d:.TZ-]+$/.test(String(read.submittedAt))) {
    return { submittedAt: String(read.submittedAt), jobId: read.jobId };
  }
  throw new CommandError("invalid_request", "cursor must be the nextCursor of the previous page");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
