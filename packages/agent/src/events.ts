import type { AssistantMessage, AssistantUpdateEvent, StopReason, ToolResultMessage } from "@pintle/ai";
import type { AgentMessage } from "./messages.ts";
import type { ToolResult } from "./types.ts";

export type RunStopReason = Exclude<StopReason, "toolUse">;

/**
 * What a run tells the world, in order; see testing/event-grammar.ts for the grammar. All listeners get the same object,
 * which is never changed afterwards.
 */
export type AgentEvent =
  | { type: "agent_start" }
  | { type: "agent_end"; messages: AgentMessage[]; stopReason: RunStopReason }
  | { type: "turn_start" }
  | { type: "turn_end"; message: AssistantMessage; toolResults: ToolResultMessage[] }
  | { type: "message_start"; message: AgentMessage }
  | { type: "message_update"; message: AssistantMessage; assistantMessageEvent: AssistantUpdateEvent }
  | { type: "message_end"; message: AgentMessage }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: object; intent?: string }
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; args: object; partialResult: ToolResult }
  | {
      type: "tool_execution_end";
      toolCallId: string;
      toolName: string;
      result: ToolResult;
      isError: boolean;
      isWarning?: boolean;
    };

export type AgentEventType = AgentEvent["type"];
