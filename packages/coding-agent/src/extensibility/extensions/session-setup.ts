import type { AgentMessage } from "@pintle/agent";
import type { ThinkingLevel } from "@pintle/ai";
import type { SessionManager } from "../../session/storage/session-manager.ts";
import type { ReadonlySessionManager } from "../custom-tools/context.ts";
import { viewSession } from "../session-view.ts";
import { toCustomMessage } from "./prompt-hooks.ts";

/** A conversation that nobody has heard of yet: it can be written too. What appends gives the id of the new entry. */
export interface SetupSessionManager extends ReadonlySessionManager {
  appendMessage(message: AgentMessage): string;
  appendCustomMessageEntry(customType: string, content: string, display: boolean, details?: unknown): string;
  appendCustomEntry(customType: string, data?: unknown): string;
  appendSessionInfo(name: string): string;
  appendLabelChange(targetId: string, label: string | undefined): string;
  appendModelChange(provider: string, modelId: string): string;
  appendThinkingLevelChange(level: ThinkingLevel): string;
}

export type SessionSetup = (manager: SetupSessionManager) => Promise<void> | void;

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "toolResult"]);

/** Runs the setup; what it was given to write with is of no use afterwards, when the session has an owner. */
export async function setUpSession(setup: SessionSetup, manager: SessionManager): Promise<void> {
  let isOver = false;
  const writable = (): SessionManager => {
    if (isOver) throw new Error("The session has begun: setup is over, use pi or ctx.");
    return manager;
  };
  try {
    await setup({
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
    });
  } finally {
    isOver = true;
  }
}

/** It comes from other people's code and is going to be sent to models. */
function checkedMessage(message: AgentMessage): AgentMessage {
  const { role, content, timestamp } = message as { role?: unknown; content?: unknown; timestamp?: unknown };
  const isText = typeof content === "string";
  if (!ROLES.has(role) || !(Array.isArray(content) || (isText && role === "user"))) {
    throw new TypeError(
      "appendMessage takes a message of the user, the model or a tool, with a list of content blocks",
    );
  }
  return {
    ...message,
    ...(isText && { content: [{ type: "text", text: content }] }),
    ...(typeof timestamp !== "number" && { timestamp: Date.now() }),
  } as AgentMessage;
}
