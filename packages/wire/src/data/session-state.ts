import { ToolAnnotationsSchema } from "@pintle/agent/schemas";
import { ModelSchema, ThinkingLevelSchema } from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { interruptMode, queueMode } from "../fields.ts";
import { oneOf, PERMISSION_MODES } from "../words.ts";
import { UndoStateSchema } from "./file-change.ts";
import { InterruptionSchema } from "./interruption.ts";
import { OutputSchemaSchema } from "./output-schema.ts";
import { QueueSchema } from "./queue.ts";
import { SandboxStatusSchema } from "./sandbox-status.ts";
import { ContextUsageSchema } from "./session-stats.ts";
import { TodoPhaseSchema } from "./todos.ts";

const toolDefinition = Type.Object({
  name: Type.String(),
  description: Type.String(),
  parameters: Type.Unsafe<object>(Type.Object({})),
  annotations: Type.Optional(ToolAnnotationsSchema),
});

const { provider, id } = ModelSchema.properties;

/** What both forms of the response to `get_state` have. */
const common = {
  thinkingLevel: ThinkingLevelSchema,
  isStreaming: Type.Boolean({ description: "from the acceptance of a prompt until just before agent_end" }),
  isCompacting: Type.Boolean(),
  isSettled: Type.Boolean({
    description: "no run, no compaction, nothing left to do for the last run, and no pending background job",
  }),
  steeringMode: queueMode(),
  followUpMode: queueMode(),
  interruptMode: interruptMode(),
  permissionMode: oneOf(PERMISSION_MODES),
  sessionFile: Type.Optional(Type.String({ description: "absolute path; absent if nothing is stored" })),
  sessionId: Type.String(),
  sessionName: Type.Optional(Type.String()),
  autoCompactionEnabled: Type.Boolean(),
  messageCount: Type.Integer(),
  queuedMessageCount: Type.Integer(),
  pendingMessageCount: Type.Integer({ description: "the same as queuedMessageCount" }),
  queue: Type.Optional(QueueSchema),
  interrupted: Type.Optional(InterruptionSchema),
  backgroundProcesses: Type.Optional(
    Type.Integer({
      description: "running background jobs, and commands that have ended and left processes running; absent if none",
    }),
  ),
  hasPendingAsyncWork: Type.Optional(
    Type.Boolean({
      description: "true: a background job is pending, whose result starts another run; false only in the dialect omp",
    }),
  ),
  todoPhases: Type.Array(TodoPhaseSchema),
  outputSchema: Type.Optional(OutputSchemaSchema),
  sandbox: SandboxStatusSchema,
  undo: Type.Optional(UndoStateSchema),
  contextUsage: Type.Optional(ContextUsageSchema),
};

/** The response to `get_state`. */
export const RpcSessionStateSchema = Type.Object({
  model: Type.Optional(ModelSchema),
  ...common,
  systemPrompt: Type.Optional(Type.String()),
  dumpTools: Type.Optional(Type.Array(toolDefinition)),
});
export type RpcSessionState = Static<typeof RpcSessionStateSchema>;

/** The response to `get_state` with `brief`. */
export const BriefSessionStateSchema = Type.Object({
  model: Type.Optional(Type.Object({ provider, id })),
  ...common,
});
export type BriefSessionState = Static<typeof BriefSessionStateSchema>;
