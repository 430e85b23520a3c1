import { AgentToolResultSchema } from "@pintle/agent/schemas";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

/** A running tool call, as reported by its `tool_execution_*` events so far. */
export const RunningToolSchema = Type.Object({
  toolCallId: Type.String(),
  toolName: Type.String(),
  args: Type.Unknown(),
  partialResult: Type.Optional(AgentToolResultSchema),
});
export type RunningTool = Static<typeof RunningToolSchema>;
