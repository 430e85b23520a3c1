import type { Tool } from "@pintle/agent";
import type { BriefSessionState, RpcSessionState as SessionState } from "@pintle/wire";
import { toWireModel } from "../../../config/models/wire-model.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import { describeQueue } from "../../../session/conversation/describe-queue.ts";
import { knownJson } from "../../frames/frame-json.ts";
import type { KnownJson } from "../../frames/known-json.ts";

// Caches the two large parts of the response as JSON, because they rarely change between requests. The writer inserts it
// unchanged.

const toolTexts = new WeakMap<readonly Tool[], KnownJson>();

function toolsJson(tools: readonly Tool[]): KnownJson {
  const text =
    toolTexts.get(tools) ??
    knownJson(
      tools.map(({ name, description, parameters, annotations }) => ({
        name,
        description,
        parameters,
        ...(annotations && { annotations }),
      })),
    );
  toolTexts.set(tools, text);
  return text;
}

let lastPrompt = { prompt: "", json: knownJson("") };

function promptJson(prompt: string): KnownJson {
  if (lastPrompt.prompt !== prompt) lastPrompt = { prompt, json: knownJson(prompt) };
  return lastPrompt.json;
}

type StateWithJson = Omit<SessionState, "systemPrompt" | "dumpTools"> & Record<"systemPrompt" | "dumpTools", KnownJson>;

export function toSessionState(session: AgentSession): StateWithJson {
  return {
    model: toWireModel(session.model),
    ...commonState(session),
    systemPrompt: promptJson(session.systemPrompt.text),
    dumpTools: toolsJson(session.tooling.view.active),
  };
}

/** Returns the state for hosts that ask often. */
export function toBriefState(session: AgentSession): BriefSessionState {
  const { provider, id } = session.model;
  return { model: { provider, id }, ...commonState(session) };
}

function commonState(session: AgentSession): Omit<BriefSessionState, "model"> {
  const { queue, sessionFile, sessionName } = session;
  const interrupted = session.interruptions.current;
  const backgroundProcesses = session.processes.leftBehind + session.jobs.runningCount;
  const contextUsage = session.getContextUsage();
  const undo = session.undo.state;
  return {
    thinkingLevel: session.thinkingLevel,
    isStreaming: session.isStreaming,
    isCompacting: session.compaction.isCompacting,
    isSettled: session.isSettled,
    steeringMode: queue.steeringMode,
    followUpMode: queue.followUpMode,
    permissionMode: session.permissions.mode,
    interruptMode: session.prompting.interruptMode,
    ...(sessionFile !== undefined && { sessionFile }),
    sessionId: session.sessionId,
    ...(sessionName !== undefined && { sessionName }),
    autoCompactionEnabled: session.compaction.enabled,
    messageCount: session.messages.length,
    queuedMessageCount: queue.count,
    pendingMessageCount: queue.count,
    queue: describeQueue(queue),
    ...(interrupted && { interrupted }),
    ...(backgroundProcesses > 0 && { backgroundProcesses }),
    ...(session.jobs.isPending && { hasPendingAsyncWork: true as const }),
    todoPhases: session.todos.store.phases,
    ...(session.output.default && { outputSchema: session.output.default.schema }),
    sandbox: session.sandbox.status,
    ...(undo && { undo }),
    ...(contextUsage && { contextUsage }),
  };
}
