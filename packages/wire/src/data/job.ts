import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { jobStatus } from "../fields.ts";

const time = () => Type.Optional(Type.String({ description: "ISO 8601, by the clock of the database" }));

/** A prompt that a server runs by itself. */
export const JobSchema = Type.Object({
  jobId: Type.String(),
  status: jobStatus(),
  prompt: Type.String({ description: "at most 500 characters of it" }),
  labels: Type.Array(Type.String(), { description: "what a node must have to run it" }),
  attempt: Type.Integer({ description: "how often it was begun; 0: not yet" }),
  attempts: Type.Integer({ description: "how often it may be begun: another one follows only where a node was lost" }),
  sessionId: Type.Optional(Type.String({ description: "of the newest attempt" })),
  node: Type.Optional(Type.String({ description: "which server runs it, or did" })),
  isCancelling: Type.Optional(Type.Literal(true, { description: "`cancel_job` was sent, and it still runs" })),
  result: Type.Optional(Type.String({ description: "the text of the last answer; not in `list_jobs`" })),
  error: Type.Optional(Type.String({ description: "why it has failed" })),
  cost: Type.Optional(Type.Number({ description: "USD, of the attempt that ended" })),
  priority: Type.Integer({ description: "nodes take the highest first, then the oldest" }),
  notBefore: time(),
  deadline: time(),
  submittedAt: Type.String({ description: "ISO 8601" }),
  startedAt: time(),
  endedAt: time(),
});
export type Job = Static<typeof JobSchema>;
