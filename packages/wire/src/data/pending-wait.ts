import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { QUESTION_KINDS } from "../questions.ts";
import { oneOf } from "../words.ts";
import { SubagentOriginSchema } from "./subagent.ts";

/** One row of `get_pending`. */
export const PendingWaitSchema = Type.Object({
  kind: oneOf(QUESTION_KINDS),
  id: Type.String({
    description: "to answer with; the actionId of a preview; a budget is answered with `raise_budget`",
  }),
  since: Type.Integer({ description: "milliseconds since the epoch" }),
  deadline: Type.Integer({ description: "milliseconds since the epoch; an update of a host tool extends it" }),
  default: Type.String({ description: "what happens without an answer, for people" }),
  method: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  toolName: Type.Optional(Type.String()),
  toolCallId: Type.Optional(Type.String()),
  label: Type.Optional(Type.String()),
  subagent: Type.Optional(SubagentOriginSchema),
});
export type PendingWait = Static<typeof PendingWaitSchema>;
