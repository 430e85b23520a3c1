// What the library exports besides `createAgentSession`. A file of its own, because users' modules that import `pintle` get these exports
// from inside: an entry point that imports itself cannot be bundled into chunks.
export type {
  HostTool,
  HostToolContext,
  HostToolOutput,
  Query,
  QuestionContext,
  RunResult,
  UiAnswer,
  UiHandler,
} from "@pintle/client/core";
export type { AnyEntry as SessionEntry } from "@pintle/storage";
export { SessionError } from "@pintle/storage";
export type { AgentSessionEvent, PendingActionInfo } from "@pintle/wire";
export type { InProcessOptions } from "./embed/in-process-client.ts";
export type { EmbedOptions } from "./embed/session-options.ts";
export type { EmbeddedSession } from "./embed/typed-prompt.ts";
export { compareFiles } from "./extensibility/aliases/compare-files.ts";
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
export type { ComparedFile, ComparedFiles } from "./file-changes/index.ts";
export type { ChangeSelection, FileEdit, PendingActionInput } from "./previews/pending-action.ts";
export { PendingActionStore } from "./previews/pending-action-store.ts";
export type { CreateAgentSessionOptions, CreatedSession } from "./sdk/options.ts";
export { AgentSession } from "./session/agent-session.ts";
