import { Type } from "@pintle/ai/type";
import { jobStatus } from "../fields.ts";
import { ref } from "../named-types.ts";
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
      "Put a prompt into the queue that the nodes take from: it runs in a session of its own, with no host to ask. A repeat with the same `commandKey` gives the same job.",
    params: () =>
      Type.Object({
        prompt: Type.String({ pattern: "\\S" }),
        cwd: Type.Optional(
          Type.String({ description: "inside the roots of the node that runs it; its first root if absent" }),
        ),
        ...startFields(),
        labels: Type.Optional(
          Type.Array(Type.String(), { description: "what a node must have to run it (`serve.labels`)" }),
        ),
        deadline: Type.Optional(
          Type.Integer({
            description: "milliseconds from now, by the clock of the database: what is not done by then has failed",
          }),
        ),
        attempts: Type.Optional(
          Type.Integer({
            description: "how often it may be begun (2): another attempt follows only where a node was lost",
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
    check: ({ deadline = 1, attempts = 1, priority = 0, retryAfter = 0 }) => {
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
    summary: "How far a job is, and what came of it.",
    params: ofJob,
    result: () => ref("Job"),
    lane: "read",
  }),
  cancel_job: row({
    summary: "Take a job out of the queue; one that runs is aborted, which `get_job` tells when it is done.",
    params: ofJob,
    result: () => ref("Job"),
    lane: "ordered",
  }),
  retry_job: row({
    summary:
      "Put a job that is `dead`, `failed` or `cancelled` back into the queue, with two more attempts. A deadline that is over is removed.",
    params: ofJob,
    result: () => ref("Job"),
    lane: "ordered",
  }),
  list_jobs: row({
    summary: "Jobs, the one submitted last first.",
    params: () =>
      Type.Object({
        status: Type.Optional(jobStatus()),
        limit: Type.Optional(Type.Integer({ description: "1 to 256, 50 when not given" })),
        cursor: Type.Optional(Type.String({ description: "nextCursor of the page before" })),
      }),
    result: () => Type.Object({ jobs: Type.Array(ref("Job")), nextCursor: Type.Optional(Type.String()) }),
    lane: "read",
    check: checkLimit,
  }),
};
