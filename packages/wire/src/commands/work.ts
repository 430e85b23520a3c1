import { Type } from "@pintle/ai/type";
import { ref, uncheckedList } from "../named-types.ts";
import { noParams, noResult, row } from "./row.ts";

/** Of `compact`. */
const MAX_INSTRUCTIONS = 20_000;

/** What a session does besides runs, and for their sake. */
export const workCommands = {
  set_todos: row({
    summary: "Replace the todo list.",
    params: () => Type.Object({ phases: uncheckedList("TodoPhaseInput") }),
    result: () => Type.Object({ todoPhases: Type.Array(ref("TodoPhase")) }),
    lane: "ordered",
  }),
  compact: row({
    summary: "End the run and replace older messages by a summary.",
    params: () => Type.Object({ customInstructions: Type.Optional(Type.String()) }),
    result: () => ref("CompactionResult"),
    lane: "long",
    check: ({ customInstructions = "" }) =>
      customInstructions.length > MAX_INSTRUCTIONS
        ? { field: "customInstructions", mustBe: `a string of at most ${MAX_INSTRUCTIONS} characters` }
        : undefined,
  }),
  set_auto_compaction: row({
    summary: "Whether the conversation is shortened by itself before it outgrows the model.",
    params: () => Type.Object({ enabled: Type.Boolean() }),
    result: noResult,
    lane: "ordered",
  }),
  set_auto_retry: row({
    summary: "Whether a failed model call is tried again.",
    params: () => Type.Object({ enabled: Type.Boolean() }),
    result: noResult,
    lane: "ordered",
  }),
  abort_retry: row({
    summary: "End the wait before the next attempt.",
    params: noParams,
    result: noResult,
    lane: "control",
    endsRuns: true,
  }),
  export_html: row({
    summary: "Write the session as a page that only its owner can read.",
    params: () =>
      Type.Object({
        outputPath: Type.Optional(Type.String()),
        redact: Type.Optional(
          Type.Boolean({ description: "false: known secrets and what looks like a key are shown; default true" }),
        ),
      }),
    result: () => Type.Object({ path: Type.String({ description: "absolute" }) }),
    lane: "long",
  }),
};
