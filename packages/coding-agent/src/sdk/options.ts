import type { Tool } from "@pintle/agent";
import type { StreamModel } from "@pintle/ai";
import type { StorageNotice } from "@pintle/storage";
import type { PermissionRule } from "@pintle/wire";
import type { AgentDefinition } from "../agents/agent-definition.ts";
import type { Environment } from "../config/keys/environment.ts";
import type { DefaultModelInput } from "../config/models/default-model.ts";
import type { ModelRegistry } from "../config/models/model-registry.ts";
import type { SettingsInput } from "../config/settings/settings.ts";
import { type GivenTool, toolsExtension } from "../extensibility/api/defined-tools.ts";
import type { ExtensionFactory } from "../extensibility/api/extension-types.ts";
import type { GivenFlags } from "../extensibility/api/flags.ts";
import type { SessionModules } from "../extensibility/session-modules.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { Approver } from "../permissions/authorizer.ts";
import type { PreviewResolver } from "../previews/previews.ts";
import type { ResourceOptions } from "../resources/load-resources.ts";
import type { AgentSession } from "../session/agent-session.ts";
import type { BudgetOptions } from "../session/budgets/budget.ts";
import type { SessionChoice } from "../session/opening/session-choice.ts";
import type { TrustAsker, TrustRequest } from "../trust/ask-for-trust.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";

/** Resolves with true to trust; any other value is a no. */
export type AskTrust = (request: TrustRequest) => Promise<boolean>;

export interface CreateAgentSessionOptions {
  cwd?: string;
  /** pintle's own directory; `agentDir` is an alias. Without it the environment decides. */
  homeDir?: string;
  agentDir?: string;
  env?: Environment;
  flags?: DefaultModelInput["flags"];
  /** True if no one reads notices before the first prompt. A session whose model is no longer available is then an error. */
  isUnattended?: boolean;
  /** Key for the provider of the chosen model, for this process only. */
  apiKey?: string;
  /** Which conversation to open; default: a new one. */
  session?: SessionChoice;
  /** Overrides the environment and the settings. */
  sessionDir?: string;
  /** Uses pi's session directory if pi is set up and nothing else names a directory. */
  usesPiSessions?: boolean;
  /** Sent to providers instead of the session's id. */
  providerSessionId?: string;
  systemPrompt?: string;
  /**
   * Whether project code and privileged project settings take effect: "open" (or "trusted") for `cwd`, whatever its content;
   * "closed" for every directory; or who is asked about untrusted content. Without it, stored consent decides, as it does for
   * another directory that a session file names.
   */
  trust?: "open" | "trusted" | "closed" | AskTrust | TrustAsker | undefined;
  /** Who is asked about another directory if `trust` is "open". */
  askTrust?: TrustAsker | undefined;
  /** Which context files, skills and templates are searched for. */
  resources?: ResourceOptions;
  appendSystemPrompt?: readonly string[];
  /** The strongest layer of the settings, with dotted or nested keys. */
  settings?: SettingsInput;
  /** Directories that belong to the workspace, in addition to the setting `permissions.roots`. */
  additionalDirectories?: readonly string[];
  /** True if a program drives pintle, which changes the defaults of some settings. */
  rpc?: boolean;
  /** Receives problems with configuration files, one message each. */
  report?: (problem: string) => void;
  /** Additional tools in pintle's own format. */
  agentTools?: readonly Tool[];
  /** Modules with custom tools, in addition to those in the user's folder and settings. */
  customToolPaths?: readonly string[];
  /** Extensions as functions; shown as `<inline:N>`. */
  extensions?: readonly ExtensionFactory[];
  /** Tools in the form that extensions use, or created with `defineCustomTool`. */
  customTools?: readonly GivenTool[];
  /** Extensions, in addition to those in the user's folder and settings. */
  additionalExtensionPaths?: readonly string[];
  /** Kinds of subagents, which win over those in files. */
  agents?: readonly Omit<AgentDefinition, "source" | "filePath">[];
  /** Loads only those extensions. */
  disableExtensionDiscovery?: boolean;
  /** Command-line options for extensions. */
  extensionFlags?: GivenFlags;
  /** Called when extensions are loaded, before any request to a model or server; throws to prevent the start. */
  checkFlags?(loaded: LoadedFlags): void;
  /** The exports that users' modules receive when they import the package by name. */
  publicExports?(): Promise<object>;
  /** True if this process belongs to pintle alone: a module that throws an uncatchable error does not end it. */
  ownsProcess?: boolean;
  /** The tools the model is offered, by names and patterns (`*`); only `+name` and `-name` change the default ones. */
  tools?: readonly string[];
  /** Names and patterns (`*`) of tools that are never offered, except those of the host. */
  excludeTools?: readonly string[];
  /** Overrides `tools`. */
  noTools?: "all" | "builtin";
  /** `false` disables MCP servers. */
  enableMCP?: boolean;
  /** `false` disables rules. */
  rules?: boolean;
  /** Rules that override all others, as in `set_policy`. */
  policy?: readonly PermissionRule[];
  /** JSON Schema of the output of prompts without a schema of their own. */
  outputSchema?: object;
  /** Called for tool calls that the preset and the rules neither allow nor deny. Without it, they are denied. */
  approve?: Approver;
  /** Limits for runs, as in `set_budget`. A run ends at a limit unless an attached host raises it. */
  budget?: BudgetOptions;
  /** Decides about previews if the setting `resolve.by` is "host". */
  resolvePreview?: PreviewResolver;
  /** Directory in which every exchange with a provider is stored. */
  record?: string;
  /** Directory of recorded exchanges that are replayed instead of calling a provider. */
  replay?: string;
  /** Replay speed relative to the recording: 1 keeps the recorded pauses. Without it, a replay has no pauses. */
  replaySpeed?: number;
  /** Replaces the provider layer. */
  stream?: StreamModel;
}

/** Which options extensions have registered, and whether all extensions are loaded. */
export interface LoadedFlags {
  types: SessionModules["flagTypes"];
  /** True if an extension could not be loaded. */
  hasFaults: boolean;
  /** True if project code requires trust. */
  isWithheld: boolean;
}

export interface CreatedSession {
  session: AgentSession;
  registry: ModelRegistry;
  trust: ProjectTrust;
  /** The user's modules, and which project modules were not loaded. */
  modules: SessionModules;
  /** Connections to MCP servers; nothing happens before `start()`. */
  mcp: McpServers;
  /** Why the model is not the expected one. */
  modelFallbackMessage?: string;
  /** What the session store reported before the session could emit it; also passed to `report`. */
  storageNotices: readonly StorageNotice[];
}

/** Returns the process-wide decision in `trust`, or undefined if `trust` is a callback. */
export function trustFlag({ trust }: CreateAgentSessionOptions): "open" | "closed" | undefined {
  if (trust === "trusted") return "open";
  return typeof trust === "string" ? trust : undefined;
}

/** Returns who is asked about untrusted content. */
export function trustAsker({ trust, askTrust }: CreateAgentSessionOptions): TrustAsker | undefined {
  if (typeof trust !== "function") return typeof trust === "object" ? trust : askTrust;
  return {
    by: "host",
    ask: async (request) => ({ isTrusted: (await trust(request)) === true, isRemembered: false }),
  };
}

/** Returns the extensions of the embedding program; its tools are one of them. */
export function inlineExtensions({ extensions = [], customTools = [] }: CreateAgentSessionOptions): ExtensionFactory[] {
  return customTools.length === 0 ? [...extensions] : [...extensions, toolsExtension(customTools)];
}
