import { Type } from "@pintle/ai/type";
import { jobStatus } from "../fields.ts";
import { ref } from "../named-types.ts";
import { MAX_TIMEOUT_MS } from "./prompting.ts";
import { checkLimit } from "./reading.ts";
import { row } from "./row.ts";
import { startFields } from "./session-start.ts";

const MAX_ATTEMPTS = 100;
const MAX_PRIORITY = 1_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
const ofJob = () => Type.Object({ jobId: Type.String({ pattern: "." }) });

/** Prompts that a server runs by itself, each in a session of its own. They need a store that several nodes share. */
export const jobCommands = {
  submit: row({
    summary:
      "Adds a prompt to the queue from which the nodes take jobs: it runs in its own session, without a host to ask. A repeat with the same `commandKey` returns the same job.",
    params: () =>
      Type.Object({
        prompt: Type.String({ pattern: "\\S" }),
        cwd: Type.Optional(
          Type.String({ description: "inside the roots of the node that runs it; the first root if absent" }),
        ),
        ...startFields(),
        outputSchema: Type.Optional(ref("OutputSchema")),
        timeoutMs: Type.Optional(
          Type.Integer({ description: "ends the run of an attempt after this wall time; 1 to 86,400,000" }),
        ),
        labels: Type.Optional(
          Type.Array(Type.String(), { description: "labels that a node must have to run it (`serve.labels`)" }),
        ),
        deadline: Type.Optional(
          Type.Integer({
            description: "milliseconds from now, by the database's clock; a job that is not done by then fails",
          }),
        ),
        attempts: Type.Optional(
          Type.Integer({
            description: "maximum number of attempts (2): a further attempt follows only if a node was lost",
          }),
        ),
        priority: Type.Optional(
          Type.Integer({ description: "-1000 to 1000 (0): nodes take the highest first, then the oldest" }),
        ),
        retryAfter: Type.Optional(
          Type.Integer({
            description:
              "milliseconds between a lost attempt and the second one (5000); doubled for each further attempt, up to an hour",
          }),
        ),
      }),
    result: () => Type.Object({ jobId: Type.String() }),
    lane: "ordered",
    check: ({ deadline = 1, attempts = 1, priority = 0, retryAfter = 0, timeoutMs = 1 }) => {
      if (timeoutMs < 1 || timeoutMs > MAX_TIMEOUT_MS) {
        return { field: "timeoutMs", mustBe: `between 1 and ${MAX_TIMEOUT_MS}` };
      }
      if (deadline < 1) return { field: "deadline", mustBe: "1 or more" };
      if (Math.abs(priority) > MAX_PRIORITY)
        return { field: "priority", mustBe: `between -${MAX_PRIORITY} and ${MAX_PRIORITY}` };
      if (retryAfter < 0 || retryAfter > MAX_RETRY_AFTER_MS)
        return { field: "retryAfter", mustBe: `between 0 and ${MAX_RETRY_AFTER_MS}` };
      return attempts >= 1 && attempts <= MAX_ATTEMPTS
        ? undefined
        : { field: "attempts", mustBe: `between 1 and ${MAX_ATTEMPTS}` };
    },
  }),
  get_job: row({
    summary: "The state of a job and its result.",
    params: ofJob,
    result: () => ref("Job"),
    lane: "read",
  }),
  cancel_job: row({
    summary: "Removes a job from the queue; a running job is aborted, and `get_job` reports it when that is done.",
    params: ofJob,
    result: () => ref("Job"),
    lane: "ordered",
  }),
  retry_job: row({
    summary:
      "Puts a job that is `dead`, `failed` or `cancelled` back into the queue, with two more attempts. An expired deadline is removed.",
    params: ofJob,
    result: () => ref("Job"),
    lane: "ordered",
  }),
  list_jobs: row({
    summary: "Jobs, the most recently submitted first.",
    params: () =>
      Type.Object({
        status: Type.Optional(jobStatus()),
        limit: Type.Optional(Type.Integer({ description: "1 to 256, default 50" })),
        cursor: Type.Optional(Type.String({ description: "nextCursor of the previous page" })),
      }),
    result: () => Type.Object({ jobs: Type.Array(ref("Job")), nextCursor: Type.Optional(Type.String()) }),
    lane: "read",
    check: checkLimit,
  }),
};
