import { Type } from "typebox";

// What the events of a session carry besides messages. Built when loaded: import it for its types, or when no start waits.

export const TodoItemSchema = Type.Object({
  id: Type.String(),
  content: Type.String(),
  status: Type.Union([
    Type.Literal("pending"),
    Type.Literal("in_progress"),
    Type.Literal("completed"),
    Type.Literal("abandoned"),
  ]),
  notes: Type.Optional(Type.String()),
  details: Type.Optional(Type.String()),
});

export const TodoPhaseSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tasks: Type.Array(TodoItemSchema),
});

export const CompactionResultSchema = Type.Object({
  summary: Type.String(),
  shortSummary: Type.Optional(Type.String()),
  firstKeptEntryId: Type.String({ description: "what stands before this entry is replaced by the summary" }),
  tokensBefore: Type.Number(),
  details: Type.Optional(Type.Unknown()),
  preserveData: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export const CompactionActionSchema = Type.Union([Type.Literal("context-full"), Type.Literal("handoff")]);

export const StreamRuleSchema = Type.Object({
  name: Type.String(),
  path: Type.String(),
  content: Type.String(),
  description: Type.Optional(Type.String()),
  condition: Type.Optional(Type.Array(Type.String())),
  scope: Type.Optional(Type.Array(Type.String())),
  globs: Type.Optional(Type.Array(Type.String())),
  interruptMode: Type.Optional(Type.String()),
});

export const PendingActionInfoSchema = Type.Object({
  actionId: Type.String(),
  label: Type.String({ description: "a summary for people" }),
  sourceToolName: Type.String(),
  details: Type.Optional(Type.Unknown({ description: "for whoever decides, for example a diff" })),
  createdAt: Type.Integer({ description: "milliseconds since the epoch" }),
  deadline: Type.Optional(
    Type.Integer({ description: "milliseconds since the epoch; only while the run waits for the host" }),
  ),
});

export const McpServerStatusSchema = Type.Object({
  name: Type.String(),
  transport: Type.Union([Type.Literal("stdio"), Type.Literal("http"), Type.Literal("sse")]),
  file: Type.String({ description: "the file that names it" }),
  status: Type.Union([
    Type.Literal("connecting"),
    Type.Literal("connected"),
    Type.Literal("failed", { description: "it could not be reached; `reload_mcp` tries again" }),
    Type.Literal("ended", { description: "it was connected; the next call of one of its tools tries to get it back" }),
    Type.Literal("stopped", { description: "it is not configured any more" }),
  ]),
  tools: Type.Integer({ description: "how many of its tools are offered" }),
  error: Type.Optional(Type.String()),
});

export const AvailableCommandSchema = Type.Object({
  name: Type.String({ description: "without the slash" }),
  description: Type.Optional(Type.String()),
  aliases: Type.Optional(Type.Array(Type.String())),
  input: Type.Optional(Type.Object({ hint: Type.String() })),
  source: Type.Union([
    Type.Literal("builtin"),
    Type.Literal("skill"),
    Type.Literal("extension"),
    Type.Literal("custom"),
    Type.Literal("mcp_prompt"),
    Type.Literal("file"),
  ]),
});
