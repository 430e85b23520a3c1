import { type Check, type Frame, groupBy, userText } from "./evidence.ts";

/** States that a job does not leave by itself. */
export const ENDED: ReadonlySet<string> = new Set(["done", "failed", "cancelled", "dead"]);
const UNBEGUN: ReadonlySet<string> = new Set(["queued", "cancelled"]);

/** Every acknowledged job exists and has ended. */
export const jobsEnd: Check = (evidence) => {
  const wrong: string[] = [];
  const known = new Map(evidence.jobs.map((job) => [job.jobId, job]));
  const told = new Map<string, Set<string>>();
  const keys = new Map<string, string>();
  for (const { host, connection, dir, frame } of evidence.transcripts) {
    const id = `${host} ${connection} ${String(frame.id)}`;
    if (dir === "out" && frame.type === "submit" && frame.commandKey !== undefined)
      keys.set(id, String(frame.commandKey));
    if (dir === "in" && frame.type === "response" && frame.command === "submit" && frame.success === true) {
      const { jobId } = frame.data as { jobId: string };
      if (!known.has(jobId)) wrong.push(`the job ${jobId} was acknowledged and is not stored`);
      const key = keys.get(id) ?? id;
      told.set(key, (told.get(key) ?? new Set()).add(jobId));
    }
  }
  for (const [key, jobs] of told) if (jobs.size > 1) wrong.push(`${key} was submitted as ${[...jobs].join(" and ")}`);
  for (const { jobId, status } of evidence.jobs)
    if (!ENDED.has(status)) wrong.push(`the job ${jobId} is left ${status}`);
  return wrong;
};

/** A job runs at most as often as allowed, each time in its own session, and again only if its node was lost. */
export const jobsWithinAttempts: Check = (evidence) => {
  const wrong: string[] = [];
  const byJob = groupBy(evidence.attempts, ({ jobId }) => jobId);
  const runs = runsByPrompt(evidence.entries);
  for (const { jobId, attempts: allowed, attempt, prompt, status } of evidence.jobs) {
    const own = byJob.get(jobId) ?? [];
    const numbers = own.map((one) => one.attempt).join();
    const expected = own.map((_, index) => index + 1).join();
    if (own.length > allowed) wrong.push(`${jobId}: ${own.length} attempts of ${allowed}`);
    if (numbers !== expected) wrong.push(`${jobId}: its attempts are ${numbers}`);
    if (attempt !== own.length) wrong.push(`${jobId}: says ${attempt} attempts and has ${own.length}`);
    const sessions = own.map(({ sessionId }) => sessionId).filter((sessionId) => sessionId !== null);
    if (new Set(sessions).size !== sessions.length) wrong.push(`${jobId}: two attempts in one session`);
    for (const [sessionId, times] of runs.get(prompt) ?? []) {
      if (!sessions.includes(sessionId)) wrong.push(`${jobId}: ran in ${sessionId}, which is none of its attempts`);
      if (times > 1) wrong.push(`${jobId}: ran ${times} times in ${sessionId}`);
    }
    if (status === "done" && !sessions.some((sessionId) => runs.get(prompt)?.has(sessionId)))
      wrong.push(`${jobId}: is done and has not run`);
  }
  return wrong;
};

/**
 * A finished job stays finished, and a job is taken from a node only when that node's lease has expired. A node may return a
 * job that it has not started; that attempt does not count.
 */
export const jobsChangeInOrder: Check = ({ jobChanges }) =>
  jobChanges.flatMap(({ jobId, at, oldStatus, oldNode, oldExpiresAt, oldAttempt, status, node, attempt }) => {
    if (ENDED.has(oldStatus)) return [`${jobId}: was ${oldStatus} and became ${status}`];
    const isGivenBack = oldStatus === "running" && UNBEGUN.has(status) && node === null && attempt === oldAttempt - 1;
    if (isGivenBack) return [];
    if (attempt < oldAttempt) return [`${jobId}: attempt ${attempt} behind ${oldAttempt}`];
    const isTaken = oldStatus === "running" && node !== oldNode && !ENDED.has(status);
    return isTaken && oldExpiresAt !== null && oldExpiresAt > at
      ? [`${jobId}: taken from ${oldNode} ${Math.ceil(oldExpiresAt - at)} ms before its time`]
      : [];
  });

function runsByPrompt(entries: Parameters<Check>[0]["entries"]): Map<string, Map<string, number>> {
  const runs = new Map<string, Map<string, number>>();
  for (const { sessionId, line } of entries) {
    const text = userText((JSON.parse(line) as Frame).message);
    if (text === undefined) continue;
    const sessions = runs.get(text) ?? new Map<string, number>();
    runs.set(text, sessions.set(sessionId, (sessions.get(sessionId) ?? 0) + 1));
  }
  return runs;
}
