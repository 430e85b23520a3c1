import { type AgentMessage, toProviderRole } from "@pintle/agent";
import { contextTokens, estimateMessageTokens } from "@pintle/ai";
import manifest from "../../../package.json" with { type: "json" };
import { homeDirectory } from "../../config/home-dir.ts";
import { AuthStorage } from "../../config/keys/auth-storage.ts";
import { ModelRegistry } from "../../config/models/model-registry.ts";
import { Settings } from "../../config/settings/settings.ts";
import { SessionManager } from "../../storage/session-manager.ts";
import { parseFrontMatter } from "../../text/front-matter.ts";
import { withFileMutationQueue } from "../../tools/shared/file-mutations.ts";
import { createEventBus } from "../api/event-bus.ts";
import { defineTool } from "../api/extension-types.ts";
import { convertToLlm, serializeConversation } from "./conversation.ts";
import { codingAgentUi, unavailable } from "./inert-exports.ts";
import * as factories from "./tool-factories.ts";
import * as truncation from "./truncation.ts";

// `pi-coding-agent`: what existing extensions import of the program they were written for.

/** Both forms of a factory give the same: an object that can be called by itself and registered. */
const definitions = Object.fromEntries(
  Object.entries(factories)
    .filter(([name]) => /^create(?:Read|Write|Edit|Bash|Grep|Find|Ls)Tool$/.test(name))
    .map(([name, factory]) => [`${name}Definition`, factory]),
);

const TOOL_NAMES = ["Bash", "Read", "Edit", "Write", "Grep", "Find", "Ls"];

/** `isBashToolResult(event)` and the others. */
const resultGuards = Object.fromEntries(
  TOOL_NAMES.map((name) => [
    `is${name}ToolResult`,
    (event: { toolName?: unknown } | undefined) => event?.toolName === name.toLowerCase(),
  ]),
);

function isToolCallEventType(toolName: string, event: { toolName?: unknown } | undefined): boolean {
  return event?.toolName === toolName;
}

function parseFrontmatter(text: string): { frontmatter: Record<string, unknown>; body: string } {
  const { fields, body } = parseFrontMatter(text);
  return { frontmatter: fields, body: body.trim() };
}

function estimateTokens(message: AgentMessage): number {
  const sent = toProviderRole(message);
  return sent ? estimateMessageTokens(sent) : 0;
}

function formatReadLineRange({ offset, limit }: { offset?: number; limit?: number } = {}): string {
  if (offset === undefined && limit === undefined) return "";
  const first = offset ?? 1;
  return limit === undefined ? `:${first}` : `:${first}-${first + limit - 1}`;
}

export const codingAgentExports: Readonly<Record<string, unknown>> = {
  ...unavailable([
    ...["parseSkillBlock", "compact", "generateSummary", "generateBranchSummary", "findCutPoint", "shouldCompact"],
    ...["prepareBranchEntries", "collectEntriesForBranchSummary", "getLastAssistantUsage", "findTurnStartIndex"],
    ...["createExtensionRuntime", "discoverAndLoadExtensions", "ExtensionRunner", "wrapRegisteredTool"],
    ...["wrapRegisteredTools", "DefaultPackageManager", "DefaultResourceLoader", "loadProjectContextFiles"],
    ...["AgentSessionRuntime", "createAgentSession", "createAgentSessionRuntime", "createAgentSessionServices"],
    ...["createAgentSessionFromServices", "buildSessionContext", "getLatestCompactionEntry", "migrateSessionEntries"],
    ...["parseSessionEntries", "formatSkillsForPrompt", "loadSkills", "loadSkillsFromDir", "createSyntheticSourceInfo"],
    ...["main", "RpcClient", "runPrintMode", "runRpcMode", "copyToClipboard", "getShellConfig"],
  ]),
  ...codingAgentUi,
  ...factories,
  ...definitions,
  ...truncation,
  ...resultGuards,
  isToolCallEventType,
  defineTool,
  createEventBus,
  withFileMutationQueue,
  getAgentDir: () => homeDirectory(process.env),
  CONFIG_DIR_NAME: ".pintle",
  VERSION: manifest.version,
  parseFrontmatter,
  stripFrontmatter: (text: string) => parseFrontmatter(text).body,
  convertToLlm,
  serializeConversation,
  estimateTokens,
  calculateContextTokens: contextTokens,
  formatReadLineRange,
  SessionManager,
  SettingsManager: Settings,
  Settings,
  AuthStorage,
  ModelRegistry,
};
