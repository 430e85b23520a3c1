import { AsyncLocalStorage } from "node:async_hooks";
import type { AgentMessage } from "@pintle/agent";
import type { SessionManager } from "@pintle/storage";
import { contentFault } from "../api/content-blocks.ts";
import type { SessionSetup, SetupSessionManager } from "../api/session-types.ts";
import { toCustomMessage } from "../hooks/prompt-hooks.ts";
import { viewSession } from "../host/session-view.ts";

const ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/** Set for all code that a setup calls. */
const surroundings = new AsyncLocalStorage<{ isOver: boolean }>();

/** Throws inside a setup, because the session being opened would wait for another one, and that one for it. */
export function requireNoSetup(method: string): void {
  if (surroundings.getStore()?.isOver === false)
    throw new Error(`${method} cannot be called during setup, because it would wait for itself`);
}

/** Runs the setup. The writer passed to it becomes invalid afterwards, when the session has an owner. */
export async function setUpSession(setup: SessionSetup, manager: SessionManager): Promise<void> {
  const state = { isOver: false };
  const writable = (): SessionManager => {
    if (state.isOver) throw new Error("The session has started, so setup is over; use pi or ctx instead.");
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

/** Validates a message, because it comes from foreign code and will be sent to models. */
function checkedMessage(message: AgentMessage): AgentMessage {
  const { role, content, timestamp }: { role: string; content?: unknown; timestamp?: unknown } = Object(message);
  const fault = ROLES.has(role) ? contentFault(role, content) : `unknown role ${JSON.stringify(role)}`;
  if (fault !== undefined) {
    throw new TypeError(`appendMessage accepts a message of the user, the model or a tool: ${fault}`);
  }
  return {
    ...message,
    ...(typeof content === "string" && { content: [{ type: "text", text: content }] }),
    ...(typeof timestamp !== "number" && { timestamp: Date.now() }),
  } as AgentMessage;
}
