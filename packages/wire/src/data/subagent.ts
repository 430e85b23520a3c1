import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

const source = () => oneOf(["bundled", "user", "project"], { description: "where its agent is defined" });
const status = () => oneOf(["pending", "running", "completed", "failed", "aborted"]);
const index = () => Type.Integer({ description: "its position in the `task` call" });

/** The subagent that asks something of the host. */
export const SubagentOriginSchema = Type.Object({
  id: Type.String(),
  agent: Type.String({ description: "the name of its definition" }),
  description: Type.Optional(Type.String({ description: "its task in one line" })),
});
export type SubagentOrigin = Static<typeof SubagentOriginSchema>;

/** What a subagent has done so far. */
export const SubagentProgressSchema = Type.Object({
  index: index(),
  id: Type.String(),
  agent: Type.String(),
  agentSource: source(),
  status: status(),
  task: Type.String({ description: "the whole assignment, with the context of the call" }),
  assignment: Type.Optional(Type.String({ description: "the task without the context" })),
  description: Type.Optional(Type.String()),
  currentTool: Type.Optional(Type.String()),
  currentToolArgs: Type.Optional(Type.String({ description: "in one line" })),
  recentTools: Type.Array(
    Type.Object({
      tool: Type.String(),
      args: Type.String(),
      endMs: Type.Integer({ description: "milliseconds since the epoch" }),
    }),
    { description: "the newest first" },
  ),
  recentOutput: Type.Array(Type.String(), { description: "the last lines that its model wrote" }),
  toolCount: Type.Integer(),
  requests: Type.Integer({ description: "model calls" }),
  tokens: Type.Integer({ description: "input, output and cache writes of all model calls" }),
  cost: Type.Number({ description: "USD" }),
  durationMs: Type.Integer(),
});
export type SubagentProgress = Static<typeof SubagentProgressSchema>;

export const SubagentSnapshotSchema = Type.Object({
  id: Type.String(),
  index: index(),
  agent: Type.String(),
  agentSource: source(),
  description: Type.Optional(Type.String()),
  status: status(),
  task: Type.Optional(Type.String()),
  assignment: Type.Optional(Type.String()),
  sessionFile: Type.Optional(Type.String({ description: "absent if nothing is stored" })),
  lastUpdate: Type.Integer({ description: "milliseconds since the epoch" }),
  progress: Type.Optional(SubagentProgressSchema),
  parentToolCallId: Type.Optional(Type.String({ description: "the `task` call that started it" })),
  parentId: Type.Optional(Type.String({ description: "the subagent that started it" })),
  depth: Type.Integer({ description: "1 for a subagent of the session itself" }),
  cost: Type.Number({ description: "USD" }),
});
export type SubagentSnapshot = Static<typeof SubagentSnapshotSchema>;

/** A kind of subagent. */
export const AgentInfoSchema = Type.Object({
  name: Type.String(),
  description: Type.String(),
  source: source(),
  filePath: Type.Optional(Type.String()),
  tools: Type.Optional(Type.Array(Type.String(), { description: "absent: all tools of its parent" })),
  model: Type.Optional(Type.Array(Type.String(), { description: "in order of preference; absent: its parent's" })),
  disabled: Type.Optional(Type.Literal(true, { description: "the setting `task.disabledAgents` excludes it" })),
  ignored: Type.Optional(
    oneOf(["shadowed", "withheld"], {
      description: "`shadowed`: another definition of the name wins; `withheld`: the project is not trusted",
    }),
  ),
});
export type AgentInfo = Static<typeof AgentInfoSchema>;

export const SubagentLifecycleSchema = Type.Object({
  id: Type.String(),
  agent: Type.String(),
  agentSource: source(),
  description: Type.Optional(Type.String()),
  status: oneOf(["started", "completed", "failed", "aborted"]),
  sessionFile: Type.Optional(Type.String()),
  parentToolCallId: Type.Optional(Type.String()),
  index: index(),
  detached: Type.Optional(Type.Literal(true, { description: "it is a background job: no call waits for it" })),
});
export type SubagentLifecycle = Static<typeof SubagentLifecycleSchema>;

export const SubagentReportSchema = Type.Object({
  index: index(),
  agent: Type.String(),
  agentSource: source(),
  task: Type.String(),
  assignment: Type.Optional(Type.String()),
  parentToolCallId: Type.Optional(Type.String()),
  progress: SubagentProgressSchema,
  sessionFile: Type.Optional(Type.String()),
  detached: Type.Optional(Type.Literal(true)),
});
export type SubagentReport = Static<typeof SubagentReportSchema>;
