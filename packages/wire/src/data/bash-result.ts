import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

/** The response to the command `bash`. */
export const BashResultSchema = Type.Object({
  output: Type.String({ description: "stdout and stderr in order; only the end if it is too long" }),
  exitCode: Type.Optional(Type.Number({ description: "absent if the command was stopped" })),
  cancelled: Type.Boolean({ description: "stopped by abort_bash or by its time limit" }),
  truncated: Type.Boolean(),
  totalLines: Type.Number({ description: "the size of what was printed" }),
  totalBytes: Type.Number(),
  outputLines: Type.Number({ description: "lines in `output`" }),
  outputBytes: Type.Number(),
  fullOutputPath: Type.Optional(Type.String({ description: "where the whole output was stored, if it is too long" })),
});
export type BashResult = Static<typeof BashResultSchema>;
