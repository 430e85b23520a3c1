import type { Tool, ToolAnnotations } from "@pintle/agent";
import type { ForeignStream, ImageContent, Model, TextContent, ThinkingLevel } from "@pintle/ai";
import type { ProcessRunner } from "@pintle/exec/processes";
import type { SessionManager } from "@pintle/storage";
import type { CompactionResult, ContextUsage } from "@pintle/wire";
import type { PendingActionInput } from "../../previews/pending-action.ts";
import type { CommandInfo, CustomMessageInput, SourceInfo } from "../../session/session-hooks.ts";
import type { ExtensionUi } from "../ui/ui.ts";
import type { ModelRegistryView, ReadonlySessionManager } from "./session-types.ts";

// What extensions can request from a session. The reverse direction is session-hooks.ts.

export type * from "../../session/session-hooks.ts";

export type UserContent = string | (TextContent | ImageContent)[];

export interface SendOptions {
  /** How to deliver the message while a run is active; default `steer`. `nextTurn` always waits for the next prompt. */
  deliverAs?: "steer" | "followUp" | "nextTurn";
  /** Starts a run for the message if none is active. */
  triggerTurn?: boolean;
}

export interface ToolInfo {
  name: string;
  description: string;
  parameters: unknown;
  /** What the MCP server claims about the tool, which need not be true. */
  annotations?: ToolAnnotations;
  sourceInfo: SourceInfo;
}

/** An extension's tool, ready for the registry. */
export interface ExtensionTool {
  tool: Tool;
  /** True if the tool is offered only when requested by name. */
  isHidden: boolean;
  path: string;
}

export interface CompactRequest {
  customInstructions?: string;
}

export interface NavigateRequest {
  summarize?: boolean;
  customInstructions?: string;
  replaceInstructions?: boolean;
  label?: string;
}

/** The outcome of a session change; `cancelled` means that an extension rejected it and nothing changed. */
export interface ChangeOutcome {
  cancelled: boolean;
}

/** A provider as an extension declares it. */
export interface ProviderRegistration {
  name?: string;
  baseUrl?: string;
  apiKey?: string;
  api?: string;
  headers?: Record<string, string>;
  authHeader?: boolean;
  models?: readonly Record<string, unknown>[];
  oauth?: unknown;
  /** Answers in place of a server; an async generator of events is enough. */
  streamSimple?: ForeignStream;
}

/** An MCP server that an extension registers. */
export interface McpRegistration {
  name: string;
  /** The same fields as in mcp.json. */
  config: Record<string, unknown>;
  extensionPath: string;
}

export interface ExtensionFault {
  /** The module's path, or `command:<name>`. */
  path: string;
  /** The event that it was handling. */
  event: string;
  error: string;
}

/**
 * The open session as extensions see it. Values are read at the moment of use: after a session change, the same host represents
 * the new session. Methods do not throw unless documented.
 */
export interface ExtensionHost {
  readonly cwd: string;
  readonly model: Model | undefined;
  readonly thinkingLevel: ThinkingLevel;
  /** The models that the user chose to cycle through. */
  readonly scopedModels: readonly { model: Model; thinkingLevel?: ThinkingLevel }[];
  /** True if no run is active. */
  readonly isIdle: boolean;
  /** The signal of the active run. */
  readonly signal: AbortSignal | undefined;
  /** True if a message is waiting to be delivered in a run. */
  readonly hasQueuedMessages: boolean;
  /** The system prompt that the model receives, including changes by extensions for the active run. */
  readonly systemPrompt: string;
  readonly contextUsage: ContextUsage | undefined;
  readonly sessionName: string | undefined;
  readonly sessionManager: ReadonlySessionManager;
  readonly modelRegistry: ModelRegistryView;
  readonly isProjectTrusted: boolean;
  /** The mode's UI; undefined while no user can answer. */
  readonly ui: ExtensionUi | undefined;

  // Messages

  /**
   * Without a run, appends the message (stored and announced with `message_start` and `message_end`), and with `triggerTurn`
   * starts a run with it. During a run, queues it as `deliverAs` says. With `nextTurn` it is sent with the next prompt. Rejects
   * if the run cannot start.
   */
  sendCustomMessage(message: CustomMessageInput, options: SendOptions): Promise<void>;
  /**
   * Sends a prompt with `source: "extension"`: first the `input` hook, then a run or, if one is active, the queue. Throws if a
   * run is active and `deliverAs` is missing. Resolves when the run has started or the message is queued.
   */
  sendUserMessage(content: UserContent, options: { deliverAs?: "steer" | "followUp" }): Promise<void>;
  /** Stores an entry with the conversation that the model never sees. */
  appendEntry(customType: string, data: unknown): void;
  setSessionName(name: string): void;
  /** Throws if there is no such entry. */
  setLabel(entryId: string, label: string | undefined): void;

  // Tools, commands, models

  /** Replaces the tools of all extensions. A tool with the name of a built-in or custom tool replaces that tool. */
  setExtensionTools(tools: readonly ExtensionTool[]): void;
  activeTools(): string[];
  allTools(): ToolInfo[];
  /** Takes effect with the next model call. Returns the names that match no tool. */
  setActiveTools(names: readonly string[]): string[];
  /** Prompt templates and skills; the runner provides the commands of extensions. */
  otherCommands(): CommandInfo[];
  /** Discards the known skills and templates, so that they are searched for again when needed. */
  forgetResources(): void;
  /** Reports that the commands of extensions have changed. */
  commandsChanged(): void;
  /** Runs `work`, which replaces extensions. Afterwards commands are announced and resources searched for again. */
  duringReplacement(work: () => Promise<void>): Promise<void>;
  /** Returns false if there are no credentials for the model. */
  setModel(model: Model): Promise<boolean>;
  setThinkingLevel(level: ThinkingLevel): void;
  /** Throws if the declaration cannot be used. */
  registerProvider(name: string, provider: ProviderRegistration): void;
  unregisterProvider(name: string): void;
  pushPendingAction(action: PendingActionInput): void;
  /** Replaces the MCP servers of all extensions. Rejects if one of them cannot be used, and changes nothing then. */
  setMcpServers(servers: readonly McpRegistration[]): Promise<void>;
  /** Returns a copy of the effective settings as a tree. */
  settings(): Record<string, unknown>;

  // Run and session

  abort(): void;
  compact(request: CompactRequest): Promise<CompactionResult>;
  /** Resolves when no run is active. */
  waitForIdle(): Promise<void>;
  /**
   * Ends the program when no run is active and every command has a response; ignored if the session is embedded in another
   * program.
   */
  shutdown(): void;
  /** `prepare` may write to the new conversation before it is announced; if it rejects, nothing changes. */
  newSession(request: {
    parentSession?: string;
    prepare?: (manager: SessionManager) => Promise<void>;
  }): Promise<ChangeOutcome>;
  fork(entryId: string, position: "before" | "at"): Promise<ChangeOutcome>;
  switchSession(path: string): Promise<ChangeOutcome>;
  navigateTree(entryId: string, request: NavigateRequest): Promise<ChangeOutcome>;
  /** Reloads extensions, custom tools and resources; calls `ExtensionRunner.reload`. */
  reload(): Promise<void>;

  // Processes and reporting

  processRunner(): Promise<ProcessRunner>;
  report(fault: ExtensionFault): void;
  /** Reports something that a person should know although nothing failed. */
  warn(message: string): void;
}
