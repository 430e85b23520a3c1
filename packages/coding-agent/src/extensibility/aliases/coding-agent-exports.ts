import { dirname } from "node:path";
import { type AgentMessage, toProviderRole } from "@pintle/agent";
import { contextTokens, estimateMessageTokens } from "@pintle/ai";
import { parseFrontMatter } from "@pintle/foundation";
import { CURRENT_VERSION, SessionManager } from "@pintle/storage";
import manifest from "../../../package.json" with { type: "json" };
import { homeDirectory } from "../../config/home-dir.ts";
import { AuthStorage } from "../../config/keys/auth-storage.ts";
import { ModelRegistry } from "../../config/models/model-registry.ts";
import { Settings } from "../../config/settings/settings.ts";
import { withFileMutationQueue } from "../../tools/shared/file-mutations.ts";
import { createEventBus } from "../api/event-bus.ts";
import { defineTool } from "../api/extension-types.ts";
import { convertToLlm, serializeConversation } from "./conversation.ts";
import { imageExports } from "./image-exports.ts";
import { codingAgentUi } from "./inert-exports.ts";
import type { Offer } from "./offer.ts";
import { buildSessionContext, getLatestCompactionEntry } from "./session-entries.ts";
import * as factories from "./tool-factories.ts";
import * as truncation from "./truncation.ts";

// `pi-coding-agent`: what existing extensions import from the program they were written for.

/** Both kinds of factory return the same: an object that can be called directly and registered. */
const definitions = Object.fromEntries(
  Object.entries(factories)
    .filter(([name]) => /^create(?:Read|Write|Edit|Bash|Grep|Find|Ls)Tool$/.test(name))
    .map(([name, factory]) => [`${name}Definition`, factory]),
);

const TOOL_NAMES = ["Bash", "PowerShell", "Read", "Edit", "Write", "Grep", "Find", "Ls"];

/** `isBashToolResult(event)` and similar guards. */
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

/** Returns the shell that the `bash` tool uses. */
function getShellConfig(customShellPath?: string): { shell: string; args: string[] } {
  const shell = [customShellPath, "bash", "sh"].map((name) => name && Bun.which(name)).find(Boolean);
  if (!shell) throw new Error(`Shell not found: ${customShellPath ?? "bash or sh"}`);
  return { shell, args: ["-c"] };
}

/** `pi-coding-agent`. */
export const codingAgentOffer: Offer = {
  inert: codingAgentUi,
  works: {
    ...factories,
    ...definitions,
    ...truncation,
    ...resultGuards,
    ...imageExports,
    isToolCallEventType,
    defineTool,
    createEventBus,
    withFileMutationQueue,
    getAgentDir: () => homeDirectory(process.env),
    getPackageDir: () => dirname(process.execPath),
    CONFIG_DIR_NAME: ".pintle",
    VERSION: manifest.version,
    CURRENT_SESSION_VERSION: CURRENT_VERSION,
    parseFrontmatter,
    stripFrontmatter: (text: string) => parseFrontmatter(text).body,
    convertToLlm,
    serializeConversation,
    estimateTokens,
    calculateContextTokens: contextTokens,
    formatReadLineRange,
    getLatestCompactionEntry,
    buildSessionContext,
    getShellConfig,
    SessionManager,
    SettingsManager: Settings,
    Settings,
    AuthStorage,
    ModelRegistry,
  },
};
