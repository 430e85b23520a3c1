import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { jobStatus } from "../fields.ts";

const time = () => Type.Optional(Type.String({ description: "ISO 8601, by the database's clock" }));

/** A prompt that a server runs by itself. */
export const JobSchema = Type.Object({
  jobId: Type.String(),
  status: jobStatus(),
  prompt: Type.String({ description: "at most 500 characters" }),
  labels: Type.Array(Type.String(), { description: "labels that a node must have to run it" }),
  attempt: Type.Integer({ description: "number of attempts so far; 0: not started" }),
  attempts: Type.Integer({ description: "maximum number of attempts: a further one follows only if a node was lost" }),
  sessionId: Type.Optional(Type.String({ description: "the session of the latest attempt" })),
  node: Type.Optional(Type.String({ description: "the server that runs or ran it" })),
  isCancelling: Type.Optional(Type.Literal(true, { description: "`cancel_job` was sent, and it is still running" })),
  result: Type.Optional(Type.String({ description: "the text of the last answer; not in `list_jobs`" })),
  error: Type.Optional(Type.String({ description: "why it failed" })),
  cost: Type.Optional(Type.Number({ description: "USD, of the attempt that ended" })),
  promptResult: Type.Optional(
    Type.Unsafe<object>(
      Type.Object({}, { description: "the `prompt_result` of the attempt that ended; not in `list_jobs`" }),
    ),
  ),
  priority: Type.Integer({ description: "nodes take the highest first, then the oldest" }),
  notBefore: time(),
  deadline: time(),
  submittedAt: Type.String({ description: "ISO 8601" }),
  startedAt: time(),
  endedAt: time(),
});
export type Job = Static<typeof JobSchema>;
