import { Type } from "typebox";
import { wireType } from "../../../packages/coding-agent/src/modes/rpc/commands/command-row.ts";
import { TodoItemSchema } from "../../../packages/coding-agent/src/session/session-event-data.ts";
import type { SessionTreeNode } from "../../../packages/coding-agent/src/storage/session-tree.ts";

// Answers whose types belong to others: test/docs/wire/declared-types.test.ts holds each schema to its type.

export const ContextUsageSchema = Type.Object({
  tokens: Type.Union([Type.Number(), Type.Null()], {
    description: "null right after a compaction, until an answer has told the new size",
  }),
  contextWindow: Type.Number(),
  percent: Type.Union([Type.Number(), Type.Null()]),
});

export const TokenCountsSchema = Type.Object({
  input: Type.Number(),
  output: Type.Number(),
  cacheRead: Type.Number(),
  cacheWrite: Type.Number(),
  total: Type.Number({ description: "the sum of the other four" }),
});

export const SessionStatsSchema = Type.Object({
  sessionFile: Type.Optional(Type.String()),
  sessionId: Type.String(),
  userMessages: Type.Number(),
  assistantMessages: Type.Number(),
  toolCalls: Type.Number(),
  toolResults: Type.Number(),
  totalMessages: Type.Number(),
  tokens: TokenCountsSchema,
  premiumRequests: Type.Number(),
  cost: Type.Number({ description: "USD" }),
  contextUsage: Type.Optional(ContextUsageSchema),
  lifetime: Type.Object(
    { tokens: TokenCountsSchema, cost: Type.Number() },
    { description: "everything the active path ever cost, also what was compacted away" },
  ),
});

export const SessionEntrySchema = Type.Object(
  {
    type: Type.String(),
    id: Type.String(),
    parentId: Type.Union([Type.String(), Type.Null()], { description: "null: the first entry of a conversation" }),
    timestamp: Type.String({ description: "ISO 8601" }),
    excludeFromContext: Type.Optional(Type.Boolean({ description: "in the history, but never shown to the model" })),
  },
  { description: "as stored; further fields depend on its type, see sessions.md" },
);

export const SessionTreeNodeSchema = Type.Object({
  entry: SessionEntrySchema,
  children: Type.Array(wireType<SessionTreeNode>("SessionTreeNode"), { description: "oldest first" }),
  label: Type.Optional(Type.String()),
  labelTimestamp: Type.Optional(Type.String()),
});

export const UserMessageTextSchema = Type.Object({ entryId: Type.String(), text: Type.String() });

export const BashResultSchema = Type.Object({
  output: Type.String({ description: "stdout and stderr as they came; the end, when it is too long" }),
  exitCode: Type.Optional(Type.Number({ description: "absent when the command was stopped" })),
  cancelled: Type.Boolean({ description: "stopped by abort_bash or by its time limit" }),
  truncated: Type.Boolean(),
  totalLines: Type.Number({ description: "of what was printed" }),
  totalBytes: Type.Number(),
  outputLines: Type.Number({ description: "of what is in `output`" }),
  outputBytes: Type.Number(),
  fullOutputPath: Type.Optional(Type.String({ description: "where the whole output was kept, when it is too long" })),
});

export const RpcHostToolDefinitionSchema = Type.Object({
  name: Type.String({ description: "case-sensitive, unique among all tools" }),
  label: Type.Optional(Type.String({ description: "for people; the name if absent" })),
  description: Type.String({ description: "for the model" }),
  parameters: Type.Unsafe<object>(Type.Object({}, { description: "JSON Schema of an object" })),
  hidden: Type.Optional(Type.Boolean({ description: "known, but not offered to the model" })),
  timeoutMs: Type.Optional(Type.Integer({ description: "replaces host.toolTimeoutMs for this tool" })),
});

export const TodoItemInputSchema = Type.Object({
  id: Type.Optional(Type.String({ description: "made up if absent or taken" })),
  content: Type.String(),
  status: Type.Optional(TodoItemSchema.properties.status),
  notes: Type.Optional(Type.String()),
  details: Type.Optional(Type.String()),
});

export const TodoPhaseInputSchema = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.String(),
  tasks: Type.Optional(Type.Array(TodoItemInputSchema)),
});
