import { type CreateAgentSessionOptions, type CreatedSession, createAgentSession as create } from "./sdk.ts";

/** A session in this process. Users' modules that import `pintle` get what this file exports. */
export async function createAgentSession(options: CreateAgentSessionOptions = {}): Promise<CreatedSession> {
  const created = await create({ publicExports: () => import("./index.ts"), ...options });
  created.modules.start();
  created.mcp.start();
  return created;
}

export type { AgentSessionEvent, PendingActionInfo } from "@pintle/wire";
export { convertToLlm, serializeConversation } from "./extensibility/aliases/conversation.ts";
export { complete } from "./extensibility/aliases/model-calls.ts";
export {
  createBashTool,
  createEditTool,
  createFindTool,
  createGrepTool,
  createLocalBashOperations,
  createLsTool,
  createReadTool,
  createWriteTool,
} from "./extensibility/aliases/tool-factories.ts";
export { defineCustomTool } from "./extensibility/api/defined-tools.ts";
export type { EventAnswer, EventFields, EventName, ExtensionHandler } from "./extensibility/api/event-types.ts";
export {
  type CommandDefinition,
  defineTool,
  type ExtensionAPI,
  type ExtensionCommandContext,
  type ExtensionContext,
  type ExtensionFactory,
  type FlagDefinition,
  type ToolDefinition,
} from "./extensibility/api/extension-types.ts";
export type { ModelRegistryView, ReadonlySessionManager } from "./extensibility/api/session-types.ts";
export type { CustomTool, CustomToolAPI, CustomToolFactory } from "./extensibility/api/tool-types.ts";
export type { ExtensionUi } from "./extensibility/ui/ui.ts";
export type { PendingActionInput } from "./previews/pending-action.ts";
export { PendingActionStore } from "./previews/pending-action-store.ts";
export type { CreateAgentSessionOptions, CreatedSession } from "./sdk.ts";
export { AgentSession } from "./session/agent-session.ts";
export type { AnyEntry as SessionEntry } from "./storage/entries/entries.ts";
export { SessionError } from "./storage/session-error.ts";
