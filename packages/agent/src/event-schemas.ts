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

// What a run tells the world: the types in events.ts and the reference of the wire follow from here. Built when loaded, so
// modules that need only the types import them from events.ts.

/** An event of the wire: its type, what it says, what it carries. */
export const event = <T extends string, P extends TProperties>(type: T, description: string, fields: P) =>
  Type.Object({ type: Type.Literal(type), ...fields }, { description });

export const AgentToolResultSchema = Type.Object({
  content: Type.Array(Type.Union([TextContentSchema, ImageContentSchema])),
  details: Type.Optional(Type.Unknown({ description: "for programs; its shape depends on the tool" })),
  isError: Type.Optional(Type.Boolean()),
  isWarning: Type.Optional(Type.Boolean()),
  terminate: Type.Optional(
    Type.Boolean({
      description: "when every result of a batch says so, the run ends without another model call",
    }),
  ),
});

const hint = (description: string) => Type.Optional(Type.Boolean({ description }));

export const ToolAnnotationsSchema = Type.Object(
  {
    title: Type.Optional(Type.String()),
    readOnlyHint: hint("it changes nothing"),
    destructiveHint: hint("it may destroy something"),
    idempotentHint: hint("a second call with the same arguments does nothing more"),
    openWorldHint: hint("it reaches beyond what its server knows"),
  },
  { description: "what the server of a tool says of it, which need not be true" },
);

/** Of a run: a message that asks for tools never ends one. */
export const RunStopReasonSchema = Type.Unsafe<Exclude<StopReason, "toolUse">>(
  Type.Union(StopReasonSchema.anyOf.filter((reason) => reason.const !== "toolUse")),
);

export const RunEndedBySchema = Type.Union([Type.Literal("denied"), Type.Literal("budget")], {
  description: "why the run was ended although no user aborted it: permissions were denied, or a budget is used up",
});

const call = () => ({ toolCallId: Type.String(), toolName: Type.String() });
const args = () => ({
  args: Type.Unsafe<object>(Type.Object({}, { description: "the arguments as the model sent them" })),
});

export const agentEventSchemas = {
  agent_start: event("agent_start", "A run begins.", {}),
  agent_end: event("agent_end", "The run is over; a plain `prompt` is accepted again.", {
    messages: Type.Array(AgentMessageSchema, {
      description: "every message that ended in this run, results of parallel calls in the order of the calls",
    }),
    stopReason: RunStopReasonSchema,
    endedBy: Type.Optional(RunEndedBySchema),
  }),
  turn_start: event("turn_start", "A turn begins: one answer of the model and the results of its tool calls.", {}),
  turn_end: event("turn_end", "The turn is over.", {
    message: AssistantMessageSchema,
    toolResults: Type.Array(ToolResultMessageSchema, { description: "in the order of the calls" }),
  }),
  message_start: event("message_start", "A message begins. One of the model is still empty, all others are complete.", {
    message: AgentMessageSchema,
  }),
  message_update: event("message_update", "The model's message has grown; `message` is what there is so far.", {
    message: AssistantMessageSchema,
    assistantMessageEvent: AssistantUpdateEventSchema,
  }),
  message_end: event("message_end", "The message is final and has been handed to the operating system.", {
    message: AgentMessageSchema,
  }),
  tool_execution_start: event("tool_execution_start", "A tool call begins.", {
    ...call(),
    ...args(),
    intent: Type.Optional(Type.String({ description: "why the model makes the call, in its words" })),
    annotations: Type.Optional(ToolAnnotationsSchema),
  }),
  tool_execution_update: event("tool_execution_update", "Progress of a call; replaces the one before.", {
    ...call(),
    ...args(),
    partialResult: AgentToolResultSchema,
  }),
  tool_execution_end: event("tool_execution_end", "The call is over; its result message follows directly.", {
    ...call(),
    result: AgentToolResultSchema,
    isError: Type.Boolean(),
    isWarning: Type.Optional(Type.Boolean()),
  }),
};
