import type { AssistantMessage, MessageUpdateEvent } from "@pintle/client";
import type { Feature } from "../app.ts";
import { Activity } from "../status/activity.ts";

type Step = MessageUpdateEvent["assistantMessageEvent"];

/** Shows above the editor what the active run is doing. */
export const activity: Feature = (app) => {
  const state = new Activity();
  const { theme, questions, keys } = app;
  app.widgets.set("activity", (width) => {
    const [stopKey = ""] = keys.keysOf("abort");
    const [backgroundKey = ""] = keys.keysOf("background");
    return state.line(width, theme, { isAsking: questions.question !== undefined, stopKey, backgroundKey });
  });
  app.onSession((session) => {
    session.on("agent_start", () => state.start());
    session.on("turn_start", () => state.does("waiting for the model"));
    session.on("message_update", ({ assistantMessageEvent }) => follow(state, assistantMessageEvent));
    session.on("message_end", ({ message }) => {
      if (message.role === "assistant") state.counted(outputTokens(message));
    });
    session.on("tool_execution_start", ({ toolCallId, toolName }) => state.toolStarted(toolCallId, toolName));
    session.on("tool_execution_end", ({ toolCallId }) => state.toolEnded(toolCallId));
    session.on("auto_retry_start", ({ delayMs }) => state.retries(delayMs));
    session.on("auto_compaction_start", () => state.does("summarizing older messages"));
    session.on("auto_compaction_end", () => state.does("waiting for the model"));
    session.on("agent_settled", () => state.stop());
    session.on("worker_exited", () => state.stop());
  });
  app.onLost(() => state.stop());
  app.onReady(async (session) => {
    const { isStreaming } = await session.getState({ brief: true });
    if (isStreaming) state.start();
  });
};

function follow(state: Activity, step: Step): void {
  if (step.type === "thinking_delta") state.does("thinking");
  else if (step.type === "text_delta") state.does("writing");
  else if (step.type === "toolcall_start") state.does(`preparing ${step.toolCall.name}`);
  if ("delta" in step) state.wrote(step.delta.length);
}

function outputTokens({ usage }: AssistantMessage): number {
  return usage.output;
}
