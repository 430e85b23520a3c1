import type { Model } from "@pintle/ai";
import { toWireModel } from "../../config/wire-model.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { SessionState } from "./wire-schemas.ts";

export type StateSource = Pick<
  AgentSession,
  | "thinkingLevel"
  | "isStreaming"
  | "isCompacting"
  | "queue"
  | "interruptMode"
  | "sessionId"
  | "sessionFile"
  | "sessionName"
  | "messages"
  | "systemPrompt"
  | "tools"
  | "getContextUsage"
  | "isAutoCompacting"
  | "todoPhases"
> & { readonly model?: Model | undefined };

export function toSessionState(session: StateSource): SessionState {
  const { model, queue, sessionFile, sessionName } = session;
  const contextUsage = session.getContextUsage();
  return {
    ...(model && { model: toWireModel(model) }),
    thinkingLevel: session.thinkingLevel,
    isStreaming: session.isStreaming,
    isCompacting: session.isCompacting,
    steeringMode: queue.steeringMode,
    followUpMode: queue.followUpMode,
    interruptMode: session.interruptMode,
    ...(sessionFile !== undefined && { sessionFile }),
    sessionId: session.sessionId,
    ...(sessionName !== undefined && { sessionName }),
    autoCompactionEnabled: session.isAutoCompacting,
    messageCount: session.messages.length,
    queuedMessageCount: queue.count,
    pendingMessageCount: queue.count,
    todoPhases: session.todoPhases,
    systemPrompt: session.systemPrompt,
    dumpTools: session.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    ...(contextUsage && { contextUsage }),
  };
}
