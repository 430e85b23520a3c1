import { Type } from "@pintle/ai/type";
import { ref, uncheckedList } from "../named-types.ts";
import { noParams, noResult, row } from "./row.ts";

const MAX_INSTRUCTIONS = 20_000;

/** Instructions for a summary; longer text is not an instruction. */
export const checkInstructions = ({ customInstructions = "" }: { customInstructions?: string }) =>
  customInstructions.length > MAX_INSTRUCTIONS
    ? { field: "customInstructions", mustBe: `a string of at most ${MAX_INSTRUCTIONS} characters` }
    : undefined;

/** What a session does in addition to runs. */
export const workCommands = {
  set_todos: row({
    summary: "Replaces the todo list.",
    params: () => Type.Object({ phases: uncheckedList("TodoPhaseInput") }),
    result: () => Type.Object({ todoPhases: Type.Array(ref("TodoPhase")) }),
    lane: "ordered",
  }),
  compact: row({
    summary: "Ends the run and replaces older messages with a summary.",
    params: () => Type.Object({ customInstructions: Type.Optional(Type.String()) }),
    result: () => ref("CompactionResult"),
    lane: "long",
    check: checkInstructions,
  }),
  set_auto_compaction: row({
    summary: "Whether the conversation is compacted automatically before it exceeds the context window.",
    params: () => Type.Object({ enabled: Type.Boolean() }),
    result: noResult,
    lane: "ordered",
  }),
  set_auto_retry: row({
    summary: "Whether a failed model call is retried.",
    params: () => Type.Object({ enabled: Type.Boolean() }),
    result: noResult,
    lane: "ordered",
  }),
  abort_retry: row({
    summary: "Ends the wait before the next attempt.",
    params: noParams,
    result: noResult,
    lane: "control",
    endsRuns: true,
  }),
  export_html: row({
    summary: "Writes the session as a page that only its owner can read.",
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
