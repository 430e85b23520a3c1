import { isRecord } from "@pintle/ai";
import type { SessionEntry } from "@pintle/wire";

/** The `customType` of the entries that record a job's start and end. */
export const JOB_RECORD_TYPE = "async_job";
/** The `customType` of the message that reports results to the model. */
export const JOB_RESULT_TYPE = "async-result";

export type EndStatus = "completed" | "failed" | "cancelled";

/** Stored before a job starts. */
export interface StartRecord {
  event: "start";
  jobId: string;
  /** Copies of a session keep its entries, but not its jobs. */
  sessionId: string;
  label: string;
  service?: true;
  startTime: number;
  /** Set for a subagent, which has the same id. */
  type?: "task";
  /** The kind of the subagent. */
  agent?: string;
}

/** Stored before the end of a job is reported. */
export interface EndRecord {
  event: "end";
  jobId: string;
  status: EndStatus;
  exitCode?: number;
  endTime: number;
  outputPath?: string;
  /** Set if the model need not be informed. */
  silent?: true;
}

export type JobRecord = StartRecord | EndRecord;

/** A job of an earlier process whose result never reached the model. */
export interface LostJob {
  start: StartRecord;
  /** Absent if the process ended before the job did. */
  end?: EndRecord;
}

/** The jobs recorded in the entries of a session. */
export interface StoredJobs {
  lost: LostJob[];
  /** The highest number that a job id has had. */
  highest: number;
  /** The subagents that the session has started, by id. */
  tasks: ReadonlyMap<string, StartRecord>;
}

/** Reads the jobs of a reopened session. Entries are untrusted, because any program may have written the file. */
export function readStoredJobs(entries: Iterable<SessionEntry>, sessionId: string): StoredJobs {
  const jobs = new Map<string, LostJob>();
  const delivered = new Set<string>();
  for (const entry of entries as Iterable<SessionEntry & Fields>) {
    if (entry.customType === undefined) continue; // nearly all
    const record = recordOf(entry);
    if (record?.event === "start") {
      jobs.set(record.jobId, { start: record });
      delivered.delete(record.jobId); // a subagent that is continued starts again
    } else if (record) {
      const job = jobs.get(record.jobId);
      if (job) job.end = record;
    } else for (const id of reportedJobs(entry)) delivered.add(id);
  }
  const isLost = ({ start, end }: LostJob) =>
    start.sessionId === sessionId && !delivered.has(start.jobId) && !end?.silent && !(start.service && end);
  const lost = [...jobs.values()].filter(isLost);
  let highest = 0;
  for (const id of jobs.keys()) highest = Math.max(highest, numberOf(id));
  const own = [...jobs.values()].filter(({ start }) => start.type === "task" && start.sessionId === sessionId);
  return { lost, highest, tasks: new Map(own.map(({ start }) => [start.jobId, start])) };
}

/** The fields of an entry that another program may have written. */
type Fields = Readonly<Record<string, unknown>>;

export const jobIdOf = (number: number) => `bg_${number}`;

function numberOf(id: string): number {
  return Number(/^bg_(\d{1,9})$/.exec(id)?.[1] ?? 0);
}

function recordOf({ type, customType, data }: Fields): JobRecord | undefined {
  if (type !== "custom" || customType !== JOB_RECORD_TYPE || !isRecord(data)) return undefined;
  const { event, jobId, label, startTime, status, endTime, exitCode, outputPath, type: kind, agent } = data;
  if (typeof jobId !== "string") return undefined;
  const isStart =
    event === "start" &&
    typeof label === "string" &&
    typeof startTime === "number" &&
    (kind === undefined || kind === "task") &&
    (agent === undefined || typeof agent === "string");
  const isEnd =
    event === "end" &&
    typeof endTime === "number" &&
    isEndStatus(status) &&
    (exitCode === undefined || typeof exitCode === "number") &&
    (outputPath === undefined || typeof outputPath === "string");
  return isStart || isEnd ? (data as unknown as JobRecord) : undefined; // its fields were checked
}

const isEndStatus = (value: unknown): value is EndStatus =>
  value === "completed" || value === "failed" || value === "cancelled";

/** Returns the ids of the jobs that a message or its entry reports. */
export function reportedJobs({ customType, details }: Fields): string[] {
  if (customType !== JOB_RESULT_TYPE || !isRecord(details) || !Array.isArray(details.jobs)) return [];
  return details.jobs.flatMap((job) => (isRecord(job) && typeof job.jobId === "string" ? [job.jobId] : []));
}
