import {
  AssistantMessageSchema,
  AttributionSchema,
  DeveloperMessageSchema,
  ImageContentSchema,
  InputContentSchema,
  TimestampSchema,
  ToolResultMessageSchema,
  UserMessageSchema,
} from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

// Roles that exist only in a conversation. A provider never sees them: context.ts converts them.

export const BashExecutionMessageSchema = Type.Object({
  role: Type.Literal("bashExecution"),
  command: Type.String(),
  output: Type.String(),
  exitCode: Type.Optional(Type.Integer()),
  cancelled: Type.Boolean(),
  truncated: Type.Boolean(),
  meta: Type.Optional(Type.Object({})),
  excludeFromContext: Type.Optional(Type.Boolean()),
  timestamp: TimestampSchema,
});
export type BashExecutionMessage = Static<typeof BashExecutionMessageSchema>;

export const CustomMessageSchema = Type.Object({
  role: Type.Literal("custom"),
  customType: Type.String(),
  content: InputContentSchema,
  display: Type.Boolean(),
  details: Type.Optional(Type.Unknown()),
  attribution: Type.Optional(AttributionSchema),
  timestamp: TimestampSchema,
});
export type CustomMessage = Static<typeof CustomMessageSchema>;

export const BranchSummaryMessageSchema = Type.Object({
  role: Type.Literal("branchSummary"),
  summary: Type.String(),
  fromId: Type.String(),
  timestamp: TimestampSchema,
});
export type BranchSummaryMessage = Static<typeof BranchSummaryMessageSchema>;

export const CompactionSummaryMessageSchema = Type.Object({
  role: Type.Literal("compactionSummary"),
  summary: Type.String(),
  shortSummary: Type.Optional(Type.String()),
  tokensBefore: Type.Number(),
  timestamp: TimestampSchema,
});
export type CompactionSummaryMessage = Static<typeof CompactionSummaryMessageSchema>;

export const FileMentionMessageSchema = Type.Object(
  {
    role: Type.Literal("fileMention"),
    files: Type.Array(
      Type.Object({
        path: Type.String(),
        content: Type.String(),
        lineCount: Type.Optional(Type.Integer()),
        byteSize: Type.Optional(Type.Integer()),
        skippedReason: Type.Optional(Type.Literal("tooLarge")),
        image: Type.Optional(ImageContentSchema),
      }),
    ),
    timestamp: TimestampSchema,
  },
  { description: "read only from session files of other agents" },
);
export type FileMentionMessage = Static<typeof FileMentionMessageSchema>;

/** Every role that a conversation can contain, and the only ones that may appear on the wire. */
export const AgentMessageSchema = Type.Union([
  UserMessageSchema,
  DeveloperMessageSchema,
  AssistantMessageSchema,
  ToolResultMessageSchema,
  BashExecutionMessageSchema,
  CustomMessageSchema,
  BranchSummaryMessageSchema,
  CompactionSummaryMessageSchema,
  FileMentionMessageSchema,
]);
export type AgentMessage = Static<typeof AgentMessageSchema>;
