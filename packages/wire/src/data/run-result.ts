import { RunStopReasonSchema } from "@pintle/agent/schemas";
import { UsageSchema } from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { DECIDED_BY, oneOf, REQUEST_KINDS, RUN_ENDINGS } from "../words.ts";
import { FileSummarySchema } from "./file-change.ts";
import { PermissionRuleSchema } from "./permissions.ts";

const cost = () => Type.Union([Type.Number(), Type.Null()], { description: "USD; null if a model has no known price" });

export const ModelUseSchema = Type.Object({
  provider: Type.String(),
  model: Type.String(),
  turns: Type.Integer(),
  usage: UsageSchema,
  cost: cost(),
});
/** What one model did in a run. */
export type ModelUse = Static<typeof ModelUseSchema>;

export const RunDenialSchema = Type.Object({
  toolCallId: Type.String(),
  tool: Type.String(),
  kind: oneOf(REQUEST_KINDS),
  by: oneOf(DECIDED_BY),
  reason: Type.String({ description: "at most 500 characters" }),
  rule: Type.Optional(PermissionRuleSchema),
  layer: Type.Optional(Type.String({ description: "whose rule, as in `approval_resolved`" })),
  subagent: Type.Optional(Type.String({ description: "the id of the subagent that made the call" })),
});
/** A tool call that permissions did not allow. */
export type RunDenial = Static<typeof RunDenialSchema>;

/** What a run adds to its `prompt_result`. Absent if there was no run, except `sessionId` and `sessionFile`. */
export const runResultFields = () => ({
  stopReason: Type.Optional(RunStopReasonSchema),
  endedBy: Type.Optional(
    Type.String({
      description: "why the run ended; an open list: accept values you do not know",
      examples: [...RUN_ENDINGS],
    }),
  ),
  text: Type.Optional(
    Type.String({ description: "the text of the last assistant message that has any, including partial text" }),
  ),
  output: Type.Optional(
    Type.Unknown({ description: "valid against the schema; present only if `status` is `completed`" }),
  ),
  rejectedOutput: Type.Optional(
    Type.Unknown({ description: "the last value that was refused; with `endedBy` `output`" }),
  ),
  outputAttempts: Type.Optional(Type.Integer({ description: "failed attempts plus the accepted one" })),
  usage: Type.Optional(UsageSchema),
  cost: Type.Optional(cost()),
  models: Type.Optional(Type.Array(ModelUseSchema, { description: "in the order of their first use" })),
  turns: Type.Optional(Type.Integer()),
  toolCalls: Type.Optional(Type.Integer()),
  durationMs: Type.Optional(Type.Integer({ description: "from the accepted prompt to `agent_end`" })),
  sessionId: Type.Optional(Type.String({ description: "always present with the capability `run_result`" })),
  sessionFile: Type.Optional(Type.String({ description: "absent if nothing is stored" })),
  filesChanged: Type.Optional(
    Type.Array(FileSummarySchema, {
      description: "net changes of the run by file tools and applied previews, at most 500",
    }),
  ),
  denials: Type.Optional(Type.Array(RunDenialSchema, { description: "at most 100" })),
  omitted: Type.Optional(
    Type.Object(
      { filesChanged: Type.Optional(Type.Integer()), denials: Type.Optional(Type.Integer()) },
      { description: "how many entries these limits cut off" },
    ),
  ),
});
