import { Type } from "typebox";

// The frames of the connection itself. Those of runs and sessions are declared where they arise, those around what waits for
// the host in host-frames.ts, commands and their answers in rpc-types.ts. Not part of the program.

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
