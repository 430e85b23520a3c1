import { toWireModel } from "../../config/wire-model.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { SessionState } from "./rpc-types.ts";

export type StateSource = Pick<
  AgentSession,
  | "model"
  | "thinkingLevel"
  | "isStreaming"
  | "isCompacting"
  | "queue"
  | "interruptMode"
  | "sessionId"
  | "messages"
  | "systemPrompt"
  | "tools"
>;

export function toSessionState(session: StateSource): SessionState {
  const { model, queue } = session;
  return {
    ...(model && { model: toWireModel(model) }),
    thinkingLevel: session.thinkingLevel,
    isStreaming: session.isStreaming,
    isCompacting: session.isCompacting,
    steeringMode: queue.steeringMode,
    followUpMode: queue.followUpMode,
    interruptMode: session.interruptMode,
    sessionId: session.sessionId,
    autoCompactionEnabled: true,
    messageCount: session.messages.length,
    queuedMessageCount: queue.count,
    pendingMessageCount: queue.count,
    todoPhases: [],
    systemPrompt: session.systemPrompt,
    dumpTools: session.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
  };
}
