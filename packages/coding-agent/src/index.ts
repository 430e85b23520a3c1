import { type CreateAgentSessionOptions, type CreatedSession, createAgentSession as create } from "./sdk.ts";

/** A session in this process. Users' modules that import `pintle` get what this file exports. */
export async function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<CreatedSession> {
  const created = await create({ publicExports: () => import("./index.ts"), ...options });
  created.modules.start();
  created.mcp.start();
  return created;
}

export { convertToLlm, serializeConversation } from "./extensibility/aliases/conversation.ts";
export { complete } from "./extensibility/aliases/model-calls.ts";
export { defineCustomTool } from "./extensibility/custom-tools/define-custom-tool.ts";
export type { CustomTool, CustomToolAPI, CustomToolFactory } from "./extensibility/custom-tools/types.ts";
export {
  defineTool,
  type ExtensionAPI,
  type ExtensionContext,
  type ExtensionFactory,
} from "./extensibility/extensions/types.ts";
export type { PendingActionInfo, PendingActionInput } from "./previews/pending-action.ts";
export { PendingActionStore } from "./previews/pending-action-store.ts";
export type { CreateAgentSessionOptions, CreatedSession } from "./sdk.ts";
export { AgentSession } from "./session/agent-session.ts";
export type { AgentSessionEvent } from "./session/session-events.ts";
export { SessionError } from "./storage/session-error.ts";
