import type { Tool } from "@pintle/agent";
import type { Model } from "@pintle/ai";
import type { BriefSessionState, RpcSessionState as SessionState } from "@pintle/wire";
import { toWireModel } from "../../../config/models/wire-model.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import { describeQueue } from "../../../session/conversation/describe-queue.ts";
import { knownJson } from "../../frames/frame-json.ts";
import type { KnownJson } from "../../frames/known-json.ts";

export type StateSource = Pick<
  AgentSession,
  | "thinkingLevel"
  | "isStreaming"
  | "isCompacting"
  | "isSettled"
  | "queue"
  | "interruptMode"
  | "permissions"
  | "sessionId"
  | "sessionFile"
  | "sessionName"
  | "messages"
  | "systemPrompt"
  | "tools"
  | "getContextUsage"
  | "isAutoCompacting"
  | "todoPhases"
  | "sandbox"
> &
  Partial<Pick<AgentSession, "interruption" | "backgroundProcesses" | "outputSchema">> & {
    readonly model?: Model | undefined;
  };

// The two large parts of the answer, which are the same from one question to the next: kept as JSON, which the writer puts
// in as it is.

const toolTexts = new WeakMap<readonly Tool[], KnownJson>();

function toolsJson(tools: readonly Tool[]): SessionState["dumpTools"] {
  const text =
    toolTexts.get(tools) ??
    knownJson(
      tools.map(({ name, description, parameters, annotations }) => ({
        ...{ name, description, parameters },
        ...(annotations && { annotations }),
      })),
    );
  toolTexts.set(tools, text);
  return text as unknown as SessionState["dumpTools"]; // what it says in JSON has that type
}

let lastPrompt = { prompt: "", json: knownJson("") };

function promptJson(prompt: string): string {
  if (lastPrompt.prompt !== prompt) lastPrompt = { prompt, json: knownJson(prompt) };
  return lastPrompt.json as unknown as string; // the JSON of a string
}

export function toSessionState(session: StateSource): SessionState {
  const { model } = session;
  return {
    ...(model && { model: toWireModel(model) }),
    ...commonState(session),
    systemPrompt: promptJson(session.systemPrompt),
    dumpTools: toolsJson(session.tools),
  };
}

/** Returns the state for hosts that ask often. */
export function toBriefState(session: StateSource): BriefSessionState {
  const { model } = session;
  return { ...(model && { model: { provider: model.provider, id: model.id } }), ...commonState(session) };
}

function commonState(session: StateSource): Omit<BriefSessionState, "model"> {
  const { queue, sessionFile, sessionName, interruption, backgroundProcesses = 0 } = session;
  const contextUsage = session.getContextUsage();
  return {
    thinkingLevel: session.thinkingLevel,
    isStreaming: session.isStreaming,
    isCompacting: session.isCompacting,
    isSettled: session.isSettled,
    steeringMode: queue.steeringMode,
    followUpMode: queue.followUpMode,
    permissionMode: session.permissions.mode,
    interruptMode: session.interruptMode,
    ...(sessionFile !== undefined && { sessionFile }),
    sessionId: session.sessionId,
    ...(sessionName !== undefined && { sessionName }),
    autoCompactionEnabled: session.isAutoCompacting,
    messageCount: session.messages.length,
    queuedMessageCount: queue.count,
    pendingMessageCount: queue.count,
    queue: describeQueue(queue),
    ...(interruption && { interrupted: interruption }),
    ...(backgroundProcesses > 0 && { backgroundProcesses }),
    todoPhases: session.todoPhases,
    ...(session.outputSchema && { outputSchema: session.outputSchema }),
    sandbox: session.sandbox,
    ...(contextUsage && { contextUsage }),
  };
}
