import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { FileChangeSchema } from "./file-change.ts";
import { SubagentOriginSchema } from "./subagent.ts";

/** A staged change as hosts see it. */
export const PendingActionInfoSchema = Type.Object({
  actionId: Type.String(),
  label: Type.String({ description: "a summary for people" }),
  sourceToolName: Type.String(),
  details: Type.Optional(Type.Unknown({ description: "for the decision, for example a diff" })),
  files: Type.Optional(
    Type.Array(Type.String(), {
      description: "it can be applied to some of them: `files` of `resolve_pending_action`",
    }),
  ),
  subagent: Type.Optional(SubagentOriginSchema),
  changes: Type.Optional(
    Type.Array(FileChangeSchema, {
      description: "what it would change; `hunks` and `edits` of `resolve_pending_action` apply it in part",
    }),
  ),
  createdAt: Type.Integer({ description: "milliseconds since the epoch" }),
  deadline: Type.Optional(
    Type.Integer({ description: "milliseconds since the epoch; only while the run waits for the host" }),
  ),
});
export type PendingActionInfo = Static<typeof PendingActionInfoSchema>;
