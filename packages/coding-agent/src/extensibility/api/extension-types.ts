import type { ToolResult } from "@pintle/agent";
import type { Model, ThinkingLevel } from "@pintle/ai";
import type { CompactionResult, ContextUsage } from "@pintle/wire";
import type { Static, TSchema } from "typebox";
import type { ExtensionUi } from "../ui/ui.ts";
import type { EventBus } from "./event-bus.ts";
import type { EventName, ExtensionHandler } from "./event-types.ts";
import type {
  ChangeOutcome,
  CommandInfo,
  CustomMessageInput,
  NavigateRequest,
  ProviderRegistration,
  SendOptions,
  ToolInfo,
  UserContent,
} from "./extension-host.ts";
import type { Logger } from "./logger.ts";
import type { ModelRegistryView, ReadonlySessionManager, SessionSetup } from "./session-types.ts";
import type { CustomToolPendingAction, CustomToolSessionEvent, ExecOptions, ExecResult } from "./tool-types.ts";

/** `ctx`: the session as a handler or tool of an extension sees it. It reads what is true now, also when it was kept. */
export interface ExtensionContext {
  readonly ui: ExtensionUi;
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly sessionManager: ReadonlySessionManager;
  readonly modelRegistry: ModelRegistryView;
  readonly model: Model | undefined;
  /** Of the active run. */
  readonly signal: AbortSignal | undefined;
  isIdle(): boolean;
  abort(): void;
  hasPendingMessages(): boolean;
  hasQueuedMessages(): boolean;
  shutdown(): void;
  getContextUsage(): ContextUsage | undefined;
  /** Returns at once; the callbacks tell how it went. */
  compact(options?: CompactOptions): void;
  getSystemPrompt(): string;
  isProjectTrusted(): boolean;
}

export interface CompactOptions {
  customInstructions?: string;
  onComplete?(result: CompactionResult): void;
  onError?(error: Error): void;
}

type WithSession = (ctx: ReplacedSessionContext) => Promise<void> | void;

/** `ctx` of a command. Only commands may change the session: anything else could wait for itself. */
export interface ExtensionCommandContext extends ExtensionContext {
  waitForIdle(): Promise<void>;
  newSession(options?: {
    parentSession?: string;
    setup?: SessionSetup;
    withSession?: WithSession;
  }): Promise<ChangeOutcome>;
  fork(entryId: string, options?: { position?: "before" | "at"; withSession?: WithSession }): Promise<ChangeOutcome>;
  /** The same under its older name. */
  branch(entryId: string, options?: { position?: "before" | "at"; withSession?: WithSession }): Promise<ChangeOutcome>;
  navigateTree(entryId: string, options?: NavigateRequest): Promise<ChangeOutcome>;
  switchSession(path: string, options?: { withSession?: WithSession }): Promise<ChangeOutcome>;
  reload(): Promise<void>;
}

/** For what follows in the session that has just been opened; the `ctx` before it is stale. */
export interface ReplacedSessionContext extends ExtensionCommandContext {
  sendMessage(message: CustomMessageInput, options?: SendOptions): Promise<void>;
  sendUserMessage(content: UserContent, options?: { deliverAs?: "steer" | "followUp" }): Promise<void>;
}

export type ToolUpdate<D = unknown> = (partial: ToolResult<D>) => void;

/** A tool as an extension registers it. Mind the order of the arguments: a module in a tools folder has another. */
export interface ToolDefinition<P extends TSchema = TSchema, D = unknown, A = Static<P>> {
  name: string;
  /** The name when it is missing. */
  label?: string;
  description: string;
  parameters: P;
  promptSnippet?: string;
  promptGuidelines?: readonly string[];
  /** Fixes shapes before the arguments are checked. */
  prepareArguments?(args: unknown): A;
  /** `sequential`: no other call runs beside it. */
  executionMode?: "sequential" | "parallel";
  hidden?: boolean;
  defaultInactive?: boolean;
  deferrable?: boolean;
  execute(
    toolCallId: string,
    params: A,
    signal: AbortSignal | undefined,
    onUpdate: ToolUpdate<D> | undefined,
    ctx: ExtensionContext,
  ): Promise<ToolResult<D>> | ToolResult<D>;
  onSession?(event: CustomToolSessionEvent, ctx: ExtensionContext): Promise<void> | void;
  /** For terminals; never called here. */
  renderCall?: unknown;
  renderResult?: unknown;
  renderShell?: unknown;
}

export interface CommandDefinition {
  description?: string;
  handler(args: string, ctx: ExtensionCommandContext): Promise<void> | void;
  /** For terminals; never called here. */
  getArgumentCompletions?: unknown;
}

export interface FlagDefinition {
  type: "boolean" | "string";
  description?: string;
  default?: boolean | string;
}

/** `pi`: what an extension's factory gets, an object of its own for each extension. */
export interface ExtensionAPI {
  on<E extends EventName>(event: E, handler: ExtensionHandler<E>): void;
  registerTool<P extends TSchema, D>(tool: ToolDefinition<P, D>): void;
  registerCommand(name: string, command: CommandDefinition): void;
  registerFlag(name: string, flag: FlagDefinition): void;
  getFlag(name: string): boolean | string | undefined;
  /** Kept, without effect: there is no keyboard. */
  registerShortcut(key: string, shortcut: unknown): void;
  /** Kept, without effect: there is no terminal. */
  registerMessageRenderer(customType: string, renderer: unknown): void;
  registerEntryRenderer(customType: string, renderer: unknown): void;
  registerProvider(name: string, provider: ProviderRegistration): void;
  unregisterProvider(name: string): void;

  sendMessage(message: CustomMessageInput, options?: SendOptions): void;
  sendUserMessage(content: UserContent, options?: { deliverAs?: "steer" | "followUp" }): void;
  appendEntry(customType: string, data?: unknown): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;
  /** With one argument: the name of the extension. */
  setLabel(entryId: string, label?: string | undefined): void;

  getActiveTools(): string[];
  getAllTools(): ToolInfo[];
  setActiveTools(names: readonly string[]): void;
  getCommands(): CommandInfo[];
  /** False: there are no credentials for it. */
  setModel(model: Model): Promise<boolean>;
  getThinkingLevel(): ThinkingLevel;
  setThinkingLevel(level: ThinkingLevel): void;

  exec(command: string, args?: readonly string[], options?: ExecOptions): Promise<ExecResult>;
  readonly events: EventBus;
  readonly logger: Logger;
  /** The schema library. */
  readonly typebox: typeof import("typebox");
  /** What pintle exports. */
  readonly pi: Readonly<Record<string, unknown>>;
  /** Stages a change that is applied or discarded later, on purpose. */
  pushPendingAction(action: CustomToolPendingAction): void;
}

export type ExtensionFactory = (pi: ExtensionAPI) => void | Promise<void>;

/** Lets a definition infer its types. */
export function defineTool<P extends TSchema, D = unknown>(tool: ToolDefinition<P, D>): ToolDefinition<P, D> {
  return tool;
}
