import { UsageSchema } from "@pintle/ai/schemas";
import { type TObject, type TProperties, Type } from "typebox";

// The frames of the connection itself. Those of runs and sessions are declared where they arise, those around what waits for
// the host in host-frames.ts, commands and their answers in rpc-types.ts.

export const FrameIdSchema = Type.Union([Type.String(), Type.Number()]);

export const ReadySchema = Type.Object(
  {
    type: Type.Literal("ready"),
    version: Type.String({ description: "of the program" }),
    protocolVersion: Type.Literal(1),
    supportedProtocolVersions: Type.Unsafe<[1]>(Type.Array(Type.Literal(1))),
    sessionId: Type.String(),
    sessionFile: Type.Optional(Type.String({ description: "absolute path; absent when nothing is stored" })),
    trust: Type.Union([Type.Literal("none"), Type.Literal("trusted"), Type.Literal("withheld")], {
      description: "code of the project: there is none, it may run, or it is held back",
    }),
    capabilities: Type.Array(Type.String(), { description: "what this server can do beyond the oldest clients" }),
  },
  { description: "The first line, once." },
);

export const FailureResponseSchema = Type.Object(
  {
    id: Type.Optional(FrameIdSchema),
    type: Type.Literal("response"),
    command: Type.String({ description: "as the host wrote it; `parse` when the line was no command" }),
    success: Type.Literal(false),
    error: Type.String({ description: "for people" }),
    code: Type.Optional(Type.String({ description: "for programs, see Failures" })),
    requestId: Type.Optional(FrameIdSchema),
  },
  { description: "A command was refused or has failed." },
);

export const SessionSettledSchema = Type.Object(
  { type: Type.Literal("session_settled") },
  {
    description:
      "Nothing is left to do for any prompt so far. Behind `agent_settled` and `prompt_result`, unless another prompt came meanwhile. Not in the `pi` dialect.",
  },
);

export const BashUpdateSchema = Type.Object(
  {
    type: Type.Literal("bash_execution_update"),
    commandId: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: "the `id` of the command" })),
    id: Type.Optional(Type.Union([Type.String(), Type.Number()], { description: "the same in the `pi` dialect" })),
    delta: Type.String({ description: "plain text, at most 8192 characters" }),
  },
  {
    description:
      "What a `bash` of the host has written since the last one. Sent when `set_event_filter` names it; in the `pi` dialect always.",
  },
);

const messageId = () => ({
  messageId: Type.String({ description: "the same from `message_start` to `message_end`, and of no other message" }),
});

/** What the connection adds to the events of a run. */
const ADDED_FIELDS: Readonly<Record<string, TProperties>> = {
  message_start: messageId(),
  message_update: {
    ...messageId(),
    usage: Type.Optional(UsageSchema),
  },
  message_end: messageId(),
  agent_end: {
    willRetry: Type.Optional(Type.Literal(false, { description: "in the `pi` dialect: attempts are part of the run" })),
  },
};

/** The events as they are written. */
export function withAddedFields(events: Readonly<Record<string, TObject>>): Record<string, TObject> {
  return Object.fromEntries(
    Object.entries(events).map(([type, event]) => {
      const { description = "" } = event as { description?: string };
      return [type, Type.Object({ ...event.properties, ...ADDED_FIELDS[type] }, { description })];
    }),
  );
}

export const PromptResultSchema = Type.Object(
  {
    type: Type.Literal("prompt_result"),
    id: Type.Optional(FrameIdSchema),
    agentInvoked: Type.Boolean({ description: "false: there was no run, and no `agent_end` will follow" }),
    status: Type.Union([Type.Literal("completed"), Type.Literal("aborted"), Type.Literal("error")]),
    error: Type.Optional(
      Type.Object(
        {
          message: Type.String(),
          retryable: Type.Boolean({ description: "whether the same prompt may succeed later" }),
          provider: Type.Optional(Type.String()),
          model: Type.Optional(Type.String()),
        },
        { description: "when `status` is `error`" },
      ),
    ),
    sessionSettled: Type.Literal(true, { description: "nothing is left to do for the prompt" }),
  },
  {
    description:
      "The end of an accepted prompt, once: behind the `agent_settled` of the run that it started or joined, or when it is clear that it has none: handled without the model, or queued for one that was cancelled before it began. A late failure is an end of its own and has none.",
  },
);
