import {
  AssistantMessageSchema,
  AssistantUpdateEventSchema,
  ImageContentSchema,
  type StopReason,
  StopReasonSchema,
  TextContentSchema,
  ToolResultMessageSchema,
} from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { TProperties } from "typebox";
import { AgentMessageSchema } from "./messages.ts";

// The events of a run: the types in events.ts and the wire reference are derived from these. Built when loaded, so
// modules that need only the types import them from events.ts.

/** Declares an event of the wire: its type, its description, its fields. */
export const event = <T extends string, P extends TProperties>(type: T, description: string, fields: P) =>
  Type.Object({ type: Type.Literal(type), ...fields }, { description });

export const AgentToolResultSchema = Type.Object({
  content: Type.Array(Type.Union([TextContentSchema, ImageContentSchema])),
  details: Type.Optional(Type.Unknown({ description: "for programs; its shape depends on the tool" })),
  isError: Type.Optional(Type.Boolean()),
  isWarning: Type.Optional(Type.Boolean()),
  terminate: Type.Optional(
    Type.Boolean({
      description: "if every result of a batch has it, the run ends without another model call",
    }),
  ),
});

const hint = (description: string) => Type.Optional(Type.Boolean({ description }));

export const ToolAnnotationsSchema = Type.Object(
  {
    title: Type.Optional(Type.String()),
    readOnlyHint: hint("the tool changes nothing"),
    destructiveHint: hint("the tool may be destructive"),
    idempotentHint: hint("a second call with the same arguments has no further effect"),
    openWorldHint: hint("the tool interacts with systems that its server does not control"),
  },
  { description: "what the server of a tool claims about it, which need not be true" },
);

/** Stop reasons of a run: a message that calls tools never ends one. */
export const RunStopReasonSchema = Type.Unsafe<Exclude<StopReason, "toolUse">>(
  Type.Union(StopReasonSchema.anyOf.filter((reason) => reason.const !== "toolUse")),
);

export const RunEndedBySchema = Type.Union([Type.Literal("denied"), Type.Literal("budget")], {
  description: "why the run was ended although no user aborted it: permissions were denied, or a budget was exhausted",
});

const call = () => ({
  toolCallId: Type.String(),
  toolName: Type.String(),
  parentToolCallId: Type.Optional(
    Type.String({
      description: "the call whose tool made this one; its id is `<parent>/<n>`, and no message contains it",
    }),
  ),
});
const args = () => ({
  args: Type.Unsafe<object>(Type.Object({}, { description: "the arguments as the model sent them" })),
});

export const agentEventSchemas = {
  agent_start: event("agent_start", "A run starts.", {}),
  agent_end: event("agent_end", "The run has ended; a plain `prompt` is accepted again.", {
    messages: Type.Array(AgentMessageSchema, {
      description: "every message that ended in this run, results of parallel calls in the order of the calls",
    }),
    stopReason: RunStopReasonSchema,
    endedBy: Type.Optional(RunEndedBySchema),
    output: Type.Optional(Type.Unknown({ description: "the output of a run with an output schema, valid against it" })),
  }),
  turn_start: event("turn_start", "A turn starts: one answer of the model and the results of its tool calls.", {}),
  turn_end: event("turn_end", "The turn has ended.", {
    message: AssistantMessageSchema,
    toolResults: Type.Array(ToolResultMessageSchema, { description: "in the order of the calls" }),
  }),
  message_start: event(
    "message_start",
    "A message starts. An assistant message is still empty; all others are complete.",
    {
      message: AgentMessageSchema,
    },
  ),
  message_update: event("message_update", "The assistant message has grown; `message` is its content so far.", {
    message: AssistantMessageSchema,
    assistantMessageEvent: AssistantUpdateEventSchema,
  }),
  message_end: event("message_end", "The message is final and has been handed to the operating system.", {
    message: AgentMessageSchema,
  }),
  tool_execution_start: event("tool_execution_start", "A tool call starts.", {
    ...call(),
    ...args(),
    intent: Type.Optional(Type.String({ description: "why the model makes the call, in its own words" })),
    annotations: Type.Optional(ToolAnnotationsSchema),
  }),
  tool_execution_update: event("tool_execution_update", "Progress of a call; replaces the previous one.", {
    ...call(),
    ...args(),
    partialResult: AgentToolResultSchema,
  }),
  tool_execution_end: event(
    "tool_execution_end",
    "The call has ended; the result message of a call by the model follows directly.",
    {
      ...call(),
      result: AgentToolResultSchema,
      isError: Type.Boolean(),
      isWarning: Type.Optional(Type.Boolean()),
      durationMs: Type.Optional(
        Type.Integer({
          description: "how long the tool ran, without the time a person took to decide; 0 if it did not run",
        }),
      ),
    },
  ),
};
