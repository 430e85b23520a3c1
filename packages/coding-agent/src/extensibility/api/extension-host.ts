import type { Tool, ToolAnnotations } from "@pintle/agent";
import type { ForeignStream, ImageContent, Model, TextContent, ThinkingLevel } from "@pintle/ai";
import type { CompactionResult, ContextUsage } from "@pintle/wire";
import type { PendingActionInput } from "../../previews/pending-action.ts";
import type { ProcessGateway } from "../../processes/process-gateway.ts";
import type { CommandInfo, CustomMessageInput, SourceInfo } from "../../session/session-hooks.ts";
import type { SessionManager } from "../../storage/session-manager.ts";
import type { ExtensionUi } from "../ui/ui.ts";
import type { ModelRegistryView, ReadonlySessionManager } from "./session-types.ts";

// One side of the seam between a session and the extensions in it: what they ask of it. The other is session-hooks.ts.

export type * from "../../session/session-hooks.ts";

export type UserContent = string | (TextContent | ImageContent)[];

export interface SendOptions {
  /** Where it goes while a run is active; `steer` when not said. `nextTurn` waits for the next prompt in any case. */
  deliverAs?: "steer" | "followUp" | "nextTurn";
  /** Without a run: the model answers it at once. */
  triggerTurn?: boolean;
}

export interface ToolInfo {
  name: string;
  description: string;
  parameters: unknown;
  /** What its MCP server says of it, which need not be true. */
  annotations?: ToolAnnotations;
  sourceInfo: SourceInfo;
}

/** A tool of an extension, ready for the registry. */
export interface ExtensionTool {
  tool: Tool;
  /** Not offered until it is asked for by name. */
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

/** How a change of the session went; `cancelled`: an extension said no and nothing happened. */
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
  /** Answers in the place of a server: an async generator of events will do. */
  streamSimple?: ForeignStream;
}

export interface ExtensionFault {
  /** The module, or `command:<name>`. */
  path: string;
  /** What it was asked to handle. */
  event: string;
  error: string;
}

/**
 * The open session as extensions see and use it. Everything is asked at the moment of use: after a change of session the same
 * host speaks for the new one. No method may throw but where it says so.
 */
export interface ExtensionHost {
  readonly cwd: string;
  readonly model: Model | undefined;
  readonly thinkingLevel: ThinkingLevel;
  /** No run is active. */
  readonly isIdle: boolean;
  /** Of the active run. */
  readonly signal: AbortSignal | undefined;
  /** Some message waits for its place in a run. */
  readonly hasQueuedMessages: boolean;
  /** As the model gets it, with what extensions changed for the active run. */
  readonly systemPrompt: string;
  readonly contextUsage: ContextUsage | undefined;
  readonly sessionName: string | undefined;
  readonly sessionManager: ReadonlySessionManager;
  readonly modelRegistry: ModelRegistryView;
  readonly isProjectTrusted: boolean;
  /** The mode's; undefined while there is no one to answer. */
  readonly ui: ExtensionUi | undefined;

  // Messages

  /**
   * Without a run: appended (stored, `message_start` and `message_end` as for any message), and with `triggerTurn` a run starts
   * with it. With a run: queued as `deliverAs` says. `nextTurn`: accompanies the next prompt. Rejects when no run could start.
   */
  sendCustomMessage(message: CustomMessageInput, options: SendOptions): Promise<void>;
  /**
   * Goes the way of a prompt with `source: "extension"`: `input` hook, then a run or, with one active, the queue. Throws when a
   * run is active and `deliverAs` is missing. Resolves when the run has begun or the message is queued.
   */
  sendUserMessage(content: UserContent, options: { deliverAs?: "steer" | "followUp" }): Promise<void>;
  /** Stored with the conversation, never shown to the model. */
  appendEntry(customType: string, data: unknown): void;
  setSessionName(name: string): void;
  /** Throws when there is no such entry. */
  setLabel(entryId: string, label: string | undefined): void;

  // Tools, commands, models

  /** Replaces the tools of all extensions. One with the name of a built-in or custom tool stands in its place. */
  setExtensionTools(tools: readonly ExtensionTool[]): void;
  activeTools(): string[];
  allTools(): ToolInfo[];
  /** From the next model call on. Gives the names that no tool has. */
  setActiveTools(names: readonly string[]): string[];
  /** Prompt templates and skills; those of extensions are the runner's. */
  otherCommands(): CommandInfo[];
  /** There are other skills and templates: they are looked for again when they are needed next. */
  forgetResources(): void;
  /** The commands of extensions are others now. */
  commandsChanged(): void;
  /** Extensions are replaced in `work`: commands are announced after it, and resources looked for again. */
  duringReplacement(work: () => Promise<void>): Promise<void>;
  /** False: there are no credentials for it. */
  setModel(model: Model): Promise<boolean>;
  setThinkingLevel(level: ThinkingLevel): void;
  /** Throws for a declaration that cannot be used. */
  registerProvider(name: string, provider: ProviderRegistration): void;
  unregisterProvider(name: string): void;
  pushPendingAction(action: PendingActionInput): void;

  // Run and session

  abort(): void;
  compact(request: CompactRequest): Promise<CompactionResult>;
  /** Resolves when no run is left. */
  waitForIdle(): Promise<void>;
  /** The program ends when no run is active and every command is answered; a session in another program ignores it. */
  shutdown(): void;
  /** `prepare` may write into the new conversation before it is announced; when it rejects, nothing has changed. */
  newSession(request: {
    parentSession?: string;
    prepare?: (manager: SessionManager) => Promise<void>;
  }): Promise<ChangeOutcome>;
  fork(entryId: string, position: "before" | "at"): Promise<ChangeOutcome>;
  switchSession(path: string): Promise<ChangeOutcome>;
  navigateTree(entryId: string, request: NavigateRequest): Promise<ChangeOutcome>;
  /** Loads extensions, custom tools and resources again; it ends in `ExtensionRunner.reload`. */
  reload(): Promise<void>;

  // Rim

  gateway(): Promise<ProcessGateway>;
  report(fault: ExtensionFault): void;
  /** Something a person should know although nothing failed. */
  warn(message: string): void;
}
