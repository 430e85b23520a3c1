import { AsyncLocalStorage } from "node:async_hooks";
import type { AgentMessage } from "@pintle/agent";
import type { SessionManager } from "../../storage/session-manager.ts";
import { contentFault } from "../api/content-blocks.ts";
import type { SessionSetup, SetupSessionManager } from "../api/session-types.ts";
import { toCustomMessage } from "../hooks/prompt-hooks.ts";
import { viewSession } from "../host/session-view.ts";

const ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/** Set in everything that a setup does. */
const surroundings = new AsyncLocalStorage<{ isOver: boolean }>();

/** Throws in a setup: the session that is being opened would wait for another one, and that one for it. */
export function requireNoSetup(method: string): void {
  if (surroundings.getStore()?.isOver === false)
    throw new Error(`${method} cannot be used in a setup: it would wait for itself`);
}

/** Runs the setup; what it was given to write with is of no use afterwards, when the session has an owner. */
export async function setUpSession(setup: SessionSetup, manager: SessionManager): Promise<void> {
  const state = { isOver: false };
  const writable = (): SessionManager => {
    if (state.isOver) throw new Error("The session has begun: setup is over, use pi or ctx.");
    return manager;
  };
  try {
    const writer: SetupSessionManager = {
      ...viewSession(
        () => manager,
        () => manager.header.cwd,
      ),
      appendMessage: (message) => writable().appendMessage(checkedMessage(message)).id,
      appendCustomMessageEntry(customType, content, display, details) {
        const message = toCustomMessage({ customType, content, display, ...(details !== undefined && { details }) });
        return writable().appendCustomMessage({
          role: "custom",
          ...message,
          attribution: "agent",
          timestamp: Date.now(),
        }).id;
      },
      appendCustomEntry: (customType, data) => writable().appendCustom(customType, data).id,
      appendSessionInfo: (name) => writable().setName(name).id,
      appendLabelChange: (targetId, label) => writable().setLabel(targetId, label).id,
      appendModelChange: (provider, modelId) => writable().appendModelChange({ provider, modelId }).id,
      appendThinkingLevelChange: (level) => writable().appendThinkingLevelChange(level).id,
    };
    await surroundings.run(state, () => setup(writer));
  } finally {
    state.isOver = true;
  }
}

/** It comes from other people's code and is going to be sent to models. */
function checkedMessage(message: AgentMessage): AgentMessage {
  const { role, content, timestamp }: { role: string; content?: unknown; timestamp?: unknown } = Object(message);
  const fault = ROLES.has(role) ? contentFault(role, content) : `there is no role ${JSON.stringify(role)} here`;
  if (fault !== undefined) {
    throw new TypeError(`appendMessage takes a message of the user, the model or a tool: ${fault}`);
  }
  return {
    ...message,
    ...(typeof content === "string" && { content: [{ type: "text", text: content }] }),
    ...(typeof timestamp !== "number" && { timestamp: Date.now() }),
  } as AgentMessage;
}
