import { Type } from "@pintle/ai/type";
import { ref } from "../named-types.ts";
import { oneOf } from "../words.ts";
import { row } from "./row.ts";

const jobId = () => Type.String({ pattern: ".", description: "the `id` of a job" });

/** Of one response. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** Commands that run in the background. */
export const backgroundCommands = {
  get_async_jobs: row({
    summary: "Lists the background jobs that are running; with `all`, also the newest 256 that have ended.",
    params: () => Type.Object({ all: Type.Optional(Type.Boolean()) }),
    result: () => Type.Object({ jobs: Type.Array(ref("AsyncJob")) }),
    lane: "read",
  }),
  get_async_job_output: row({
    summary:
      "Returns the output of a background job as plain text, from a byte offset. Continue with `nextByte`; reading consumes nothing.",
    params: () =>
      Type.Object({
        jobId: jobId(),
        fromByte: Type.Optional(Type.Integer({ description: "default 0" })),
        maxBytes: Type.Optional(Type.Integer({ description: "default 65536, at most 1048576" })),
      }),
    result: () =>
      Type.Object({
        jobId: Type.String(),
        status: oneOf(["running", "completed", "failed", "cancelled"]),
        text: Type.String(),
        fromByte: Type.Integer({ description: "where `text` begins" }),
        nextByte: Type.Integer({ description: "where to continue" }),
        reset: Type.Boolean({ description: "`fromByte` was beyond the end, so `text` begins at the start" }),
        truncated: Type.Boolean({ description: "output between the requested byte and `fromByte` was not kept" }),
      }),
    lane: "read",
    check: ({ fromByte = 0, maxBytes = 1 }) => {
      if (fromByte < 0) return { field: "fromByte", mustBe: "0 or more" };
      return maxBytes < 1 || maxBytes > MAX_OUTPUT_BYTES
        ? { field: "maxBytes", mustBe: `an integer from 1 to ${MAX_OUTPUT_BYTES}` }
        : undefined;
    },
  }),
  cancel_async_job: row({
    summary:
      "Ends a background job and responds when none of its processes is left. Has no effect on a job that has ended.",
    params: () => Type.Object({ jobId: jobId() }),
    result: () => Type.Object({ job: ref("AsyncJob") }),
    lane: "control",
  }),
  background_tool_call: row({
    summary:
      "Turns a running `bash` call into a background job: the call returns the output so far. Without an id, every call that can be.",
    params: () => Type.Object({ toolCallId: Type.Optional(Type.String({ pattern: "." })) }),
    result: () => Type.Object({ jobIds: Type.Array(Type.String()) }),
    lane: "control",
  }),
};
