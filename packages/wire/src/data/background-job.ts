import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

const milliseconds = () => Type.Integer({ description: "milliseconds since the epoch" });

/** A command or a subagent that no tool call waits for. */
export const AsyncJobSchema = Type.Object({
  id: Type.String(),
  type: oneOf(["bash", "task"]),
  status: oneOf(["running", "completed", "failed", "cancelled"]),
  label: Type.String({ description: "the command, or the task of the subagent in one line" }),
  startTime: milliseconds(),
  endTime: Type.Optional(milliseconds()),
  exitCode: Type.Optional(Type.Integer()),
  service: Type.Optional(
    Type.Literal(true, { description: "it is not expected to end, and reports only an exit code other than 0" }),
  ),
  subagentId: Type.Optional(Type.String({ description: "for a `task`: the subagent, which has the same id" })),
  outputPath: Type.Optional(Type.String({ description: "the file that has its output" })),
  bytes: Type.Integer({ description: "the size of its output so far, as plain text" }),
});
export type AsyncJob = Static<typeof AsyncJobSchema>;
