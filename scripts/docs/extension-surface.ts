import type { EventName } from "../../packages/coding-agent/src/extensibility/api/event-types.ts";
import type {
  ExtensionAPI,
  ExtensionCommandContext,
  ExtensionContext,
  ExtensionToolContext,
  ToolDefinition,
} from "../../packages/coding-agent/src/extensibility/api/extension-types.ts";
import type {
  ModelRegistryView,
  ReadonlySessionManager,
} from "../../packages/coding-agent/src/extensibility/api/session-types.ts";
import type { ExtensionUi } from "../../packages/coding-agent/src/extensibility/ui/ui.ts";

export type Status = "works" | "accepted without effect" | "throws when called";

const WORKS = "works";
const INERT = "accepted without effect";
const THROWS = "throws when called";

/** Every name as a key of an object, with one status. */
function all<S extends Status, N extends string>(status: S, names: readonly N[]): Record<N, S> {
  return Object.fromEntries(names.map((name) => [name, status])) as Record<N, S>;
}

// The compiler compares each table with its type, and a test with the lists of the published packages.

export const EVENTS: Record<EventName, Status> = {
  ...all(WORKS, [
    ...(["session_start", "session_switch", "session_branch", "session_shutdown", "session_info_changed"] as const),
    ...(["session_before_switch", "session_before_fork", "session_before_branch", "session_before_compact"] as const),
    ...(["session_before_tree", "session.compacting", "session_compact", "session_compact_failed"] as const),
    ...(["session_tree", "resources_discover", "input", "before_agent_start", "context"] as const),
    ...(["context_with_system", "before_provider_request", "before_provider_headers"] as const),
    ...(["after_provider_response", "provider_stream_event", "agent_start", "agent_end"] as const),
    ...(["agent_before_settle", "agent_settled", "turn_start", "turn_end", "message_start", "message_update"] as const),
    ...(["message_end", "tool_call", "tool_result", "tool_execution_start", "tool_execution_update"] as const),
    ...(["tool_execution_end", "user_bash", "model_select", "thinking_level_select", "ui_prompt_start"] as const),
    ...(["ui_prompt_end", "mcp_servers_change", "pending_action_added", "pending_action_resolved"] as const),
    ...(["auto_compaction_start", "auto_compaction_end", "auto_retry_start", "auto_retry_end"] as const),
    ...(["ttsr_triggered", "todo_reminder"] as const),
  ]),
  ...all(INERT, ["project_trust", "cache_warming_decision"]),
};

export const METHODS: Record<keyof ExtensionAPI, Status> = {
  ...all(WORKS, [
    ...(["on", "registerTool", "registerCommand", "registerFlag", "getFlag", "registerProvider"] as const),
    ...(["unregisterProvider", "registerVirtualModel", "unregisterVirtualModel", "registerMcpServer"] as const),
    ...(["unregisterMcpServer", "getMcpServers", "getSettings", "sendMessage", "sendUserMessage"] as const),
    ...(["appendEntry", "setSessionName", "getSessionName", "setLabel", "getActiveTools", "getAllTools"] as const),
    ...(["setActiveTools", "getCommands", "setModel", "getThinkingLevel", "setThinkingLevel", "exec"] as const),
    ...(["events", "logger", "typebox", "pi", "pushPendingAction"] as const),
  ]),
  ...all(INERT, [
    ...(["registerShortcut", "registerMessageRenderer", "registerEntryRenderer", "registerToolRenderer"] as const),
    "registerMarkdownTransformer" as const,
  ]),
};

export const CONTEXT: Record<keyof ExtensionContext, Status> = all(WORKS, [
  ...(["ui", "hasUI", "mode", "cwd", "thinkingLevel", "sessionManager", "modelRegistry", "model"] as const),
  ...(["scopedModels", "signal", "isIdle", "abort", "hasPendingMessages", "hasQueuedMessages", "shutdown"] as const),
  ...(["getContextUsage", "compact", "getSystemPrompt", "isProjectTrusted"] as const),
]);

export const TOOL_CONTEXT: Record<Exclude<keyof ExtensionToolContext, keyof ExtensionContext>, Status> = all(WORKS, [
  "tools",
  "executeTool",
]);

export const COMMAND_CONTEXT: Record<Exclude<keyof ExtensionCommandContext, keyof ExtensionContext>, Status> = all(
  WORKS,
  [
    ...(["waitForIdle", "newSession", "fork", "branch", "navigateTree", "switchSession", "reload"] as const),
    "getSystemPromptOptions" as const,
  ],
);

export const MODEL_REGISTRY: Record<keyof ModelRegistryView, Status> = {
  ...all(WORKS, [
    ...(["find", "getAll", "getAvailable", "findOfType", "getModelOfType", "getModelsOfType"] as const),
    ...([
      "getAvailableOfType",
      "getApiKey",
      "getApiKeyAndHeaders",
      "getApiKeyForProvider",
      "hasConfiguredAuth",
    ] as const),
    ...(["getProviderAuthStatus", "getProviderDisplayName", "isUsingOAuth", "refresh", "getError"] as const),
    ...(["stream", "streamSimple", "complete", "completeSimple"] as const),
  ]),
  ...all(THROWS, [
    ...(["classify", "generateImages", "getProvider", "getProviderAuth", "registerProvider"] as const),
    ...(["unregisterProvider", "registerVirtualModel", "unregisterVirtualModel"] as const),
    ...(["getRegisteredProviderConfig", "getRegisteredNativeProvider", "getRegisteredProviderIds"] as const),
  ]),
};

export const SESSION_MANAGER: Record<keyof ReadonlySessionManager, Status> = {
  ...all(WORKS, [
    ...(["getEntries", "getBranch", "getLeafId", "getLeafEntry", "getEntry", "getChildren", "getLabel"] as const),
    ...(["getHeader", "getSessionFile", "getSessionDir", "getSessionId", "getSessionName", "getCwd"] as const),
    ...(["getTree", "buildContextEntries"] as const),
  ]),
  ...all(THROWS, ["buildSessionProjection"]),
};

export const UI: Record<Exclude<keyof ExtensionUi, "isOneWay">, Status> = {
  ...all(WORKS, [
    ...(["select", "confirm", "input", "editor", "notify", "setStatus", "setWidget", "setTitle"] as const),
    ...(["setEditorText", "pasteToEditor"] as const),
  ]),
  ...all(INERT, [
    ...(["custom", "getEditorText", "theme", "getAllThemes", "getTheme", "setTheme", "onTerminalInput"] as const),
    ...(["setFooter", "setHeader", "setEditorComponent", "getEditorComponent", "addAutocompleteProvider"] as const),
    ...(["setWorkingMessage", "setWorkingVisible", "setWorkingIndicator", "setHiddenThinkingLabel"] as const),
    ...(["getToolsExpanded", "setToolsExpanded"] as const),
  ]),
};

export const TOOL_FIELDS: Record<keyof ToolDefinition, Status> = {
  ...all(WORKS, [
    ...(["name", "label", "description", "parameters", "execute", "promptSnippet", "promptGuidelines"] as const),
    ...(["prepareArguments", "executionMode", "hidden", "defaultInactive", "defaultActive", "deferrable"] as const),
    ...(["exposure", "annotations", "onSession"] as const),
  ]),
  ...all(INERT, [
    ...(["namespace", "outputSchema", "prepareLoadout", "reachesTools", "constrainedSampling"] as const),
    ...(["renderCall", "renderResult", "renderShell"] as const),
  ]),
};

export { INERT, THROWS, WORKS };
