import type { Static } from "typebox";
import { Type } from "./type.ts";

// Each block and message is declared once: the schema is the JSON Schema of the wire, and the type is derived from it.

export const TextContentSchema = Type.Object({
  type: Type.Literal("text"),
  text: Type.String(),
  textSignature: Type.Optional(Type.String()),
});
export type TextContent = Static<typeof TextContentSchema>;

export const ThinkingContentSchema = Type.Object({
  type: Type.Literal("thinking"),
  thinking: Type.String(),
  thinkingSignature: Type.Optional(Type.String()),
});
export type ThinkingContent = Static<typeof ThinkingContentSchema>;

export const RedactedThinkingContentSchema = Type.Object({
  type: Type.Literal("redactedThinking"),
  data: Type.String(),
});
export type RedactedThinkingContent = Static<typeof RedactedThinkingContentSchema>;

export const ImageContentSchema = Type.Object({
  type: Type.Literal("image"),
  data: Type.String({ description: "base64, without a data: prefix" }),
  mimeType: Type.String(),
});
export type ImageContent = Static<typeof ImageContentSchema>;

export const ToolCallSchema = Type.Object({
  type: Type.Literal("toolCall"),
  id: Type.String(),
  name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Unknown()),
  thoughtSignature: Type.Optional(Type.String()),
  intent: Type.Optional(Type.String()),
  argumentsError: Type.Optional(
    Type.String({
      description: "why the arguments could not be read; `arguments` is then empty and the call never runs",
    }),
  ),
});
export type ToolCall = Static<typeof ToolCallSchema>;

export const AttributionSchema = Type.Union([Type.Literal("user"), Type.Literal("agent")]);
export type Attribution = Static<typeof AttributionSchema>;

export const InputContentSchema = Type.Union([
  Type.String(),
  Type.Array(Type.Union([TextContentSchema, ImageContentSchema])),
]);
export type InputContent = Static<typeof InputContentSchema>;

export const TimestampSchema = Type.Integer({ description: "milliseconds since the epoch" });

export const UserMessageSchema = Type.Object({
  role: Type.Literal("user"),
  content: InputContentSchema,
  synthetic: Type.Optional(Type.Boolean()),
  attribution: Type.Optional(AttributionSchema),
  timestamp: TimestampSchema,
});
export type UserMessage = Static<typeof UserMessageSchema>;

export const DeveloperMessageSchema = Type.Object({
  role: Type.Literal("developer"),
  content: InputContentSchema,
  attribution: Type.Optional(AttributionSchema),
  timestamp: TimestampSchema,
});
export type DeveloperMessage = Static<typeof DeveloperMessageSchema>;

export const StopReasonSchema = Type.Union([
  Type.Literal("stop"),
  Type.Literal("length"),
  Type.Literal("toolUse"),
  Type.Literal("error"),
  Type.Literal("aborted"),
]);
export type StopReason = Static<typeof StopReasonSchema>;

export const UsageSchema = Type.Object({
  input: Type.Number(),
  output: Type.Number(),
  cacheRead: Type.Number(),
  cacheWrite: Type.Number(),
  totalTokens: Type.Number(),
  premiumRequests: Type.Optional(Type.Number()),
  reasoning: Type.Optional(
    Type.Number({ description: "how much of the output was thinking, if the provider reports it" }),
  ),
  cost: Type.Object({
    input: Type.Number(),
    output: Type.Number(),
    cacheRead: Type.Number(),
    cacheWrite: Type.Number(),
    total: Type.Number(),
    totalFromProvider: Type.Optional(
      Type.Boolean({
        description: "true: the provider reported `total`; false: it is computed from the prices of the model",
      }),
    ),
  }),
});
export type Usage = Static<typeof UsageSchema>;

export const AssistantContentSchema = Type.Union([
  TextContentSchema,
  ThinkingContentSchema,
  RedactedThinkingContentSchema,
  ToolCallSchema,
]);
export type AssistantContent = Static<typeof AssistantContentSchema>;

export const AssistantMessageSchema = Type.Object({
  role: Type.Literal("assistant"),
  content: Type.Array(AssistantContentSchema),
  api: Type.String(),
  provider: Type.String(),
  model: Type.String(),
  responseId: Type.Optional(Type.String()),
  responseModel: Type.Optional(
    Type.String({ description: "the model that answered, if the provider reports a different one than was requested" }),
  ),
  usage: UsageSchema,
  stopReason: StopReasonSchema,
  errorMessage: Type.Optional(Type.String()),
  timestamp: TimestampSchema,
  duration: Type.Optional(Type.Number({ description: "ms" })),
  ttft: Type.Optional(Type.Number({ description: "ms until the first content" })),
});
export type AssistantMessage = Static<typeof AssistantMessageSchema>;

export const ToolResultMessageSchema = Type.Object({
  role: Type.Literal("toolResult"),
  toolCallId: Type.String(),
  toolName: Type.String(),
  content: Type.Array(Type.Union([TextContentSchema, ImageContentSchema])),
  details: Type.Optional(Type.Unknown()),
  isError: Type.Boolean(),
  isWarning: Type.Optional(Type.Boolean()),
  attribution: Type.Optional(AttributionSchema),
  prunedAt: Type.Optional(Type.Number()),
  durationMs: Type.Optional(
    Type.Integer({
      description: "how long the tool ran, without the time a person took to decide; 0 if it did not run",
    }),
  ),
  timestamp: TimestampSchema,
});
export type ToolResultMessage = Static<typeof ToolResultMessageSchema>;

/** Messages that can be sent to a provider. All other roles of a conversation are converted to these first. */
export type ProviderMessage = UserMessage | DeveloperMessage | AssistantMessage | ToolResultMessage;
