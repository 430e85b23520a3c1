import type { NestedOutcome, Tool, ToolAnnotations, ToolResult } from "@pintle/agent";
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
  McpRegistration,
  NavigateRequest,
  ProviderRegistration,
  SendOptions,
  ToolInfo,
  UserContent,
} from "./extension-host.ts";
import type { Logger } from "./logger.ts";
import type { ModelRegistryView, ReadonlySessionManager, SessionSetup } from "./session-types.ts";
import type { CustomToolPendingAction, CustomToolSessionEvent, ExecOptions, ExecResult } from "./tool-types.ts";
import type { VirtualModel } from "./virtual-model.ts";

/** `ctx`: the session as a handler or tool of an extension sees it. Always reads current values, even if the object was kept. */
export interface ExtensionContext {
  readonly ui: ExtensionUi;
  readonly hasUI: boolean;
  /** `rpc` if a host can answer questions, including a terminal; otherwise `print`. */
  readonly mode: "rpc" | "print";
  readonly cwd: string;
  readonly thinkingLevel: ThinkingLevel;
  readonly sessionManager: ReadonlySessionManager;
  readonly modelRegistry: ModelRegistryView;
  readonly model: Model | undefined;
  /** The models that the user chose to cycle through; empty if none were chosen. */
  readonly scopedModels: readonly { model: Model; thinkingLevel?: ThinkingLevel }[];
  /** The signal of the active run. */
  readonly signal: AbortSignal | undefined;
  isIdle(): boolean;
  abort(): void;
  hasPendingMessages(): boolean;
  hasQueuedMessages(): boolean;
  shutdown(): void;
  getContextUsage(): ContextUsage | undefined;
  /** Returns immediately; the callbacks report the outcome. */
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

/** `ctx` of a command. Only commands may change the session, because anything else could wait for itself. */
export interface ExtensionCommandContext extends ExtensionContext {
  /** The agent's directory and tools; `before_agent_start` has everything that the prompt is built from. */
  getSystemPromptOptions(): { cwd: string; selectedTools: string[] };
  waitForIdle(): Promise<void>;
  newSession(options?: {
    parentSession?: string;
    setup?: SessionSetup;
    withSession?: WithSession;
  }): Promise<ChangeOutcome>;
  fork(entryId: string, options?: { position?: "before" | "at"; withSession?: WithSession }): Promise<ChangeOutcome>;
  /** The older name of `fork`. */
  branch(entryId: string, options?: { position?: "before" | "at"; withSession?: WithSession }): Promise<ChangeOutcome>;
  navigateTree(entryId: string, options?: NavigateRequest): Promise<ChangeOutcome>;
  switchSession(path: string, options?: { withSession?: WithSession }): Promise<ChangeOutcome>;
  reload(): Promise<void>;
}

/** For code that continues in the newly opened session; the previous `ctx` is stale. */
export interface ReplacedSessionContext extends ExtensionCommandContext {
  sendMessage(message: CustomMessageInput, options?: SendOptions): Promise<void>;
  sendUserMessage(content: UserContent, options?: { deliverAs?: "steer" | "followUp" }): Promise<void>;
}

/** `ctx` of a tool while it runs. */
export interface ExtensionToolContext extends ExtensionContext {
  /** The tools that `executeTool` can call. */
  readonly tools: readonly Pick<Tool, "name" | "label" | "description" | "parameters">[];
  /**
   * Calls another tool. Hooks and permissions apply as to a call by the model, and its events carry `parentToolCallId`. Failures
   * are error results.
   */
  executeTool(
    name: string,
    args: Record<string, unknown>,
    options?: { signal?: AbortSignal; onUpdate?: ToolUpdate },
  ): Promise<NestedOutcome>;
}

export type ToolUpdate<D = unknown> = (partial: ToolResult<D>) => void;

/** A tool that an extension registers. The order of `execute`'s arguments differs from that of a module in a tools folder. */
export interface ToolDefinition<P extends TSchema = TSchema, D = unknown, A = Static<P>> {
  name: string;
  /** Defaults to the name. */
  label?: string;
  description: string;
  parameters: P;
  promptSnippet?: string;
  promptGuidelines?: readonly string[];
  /** Repairs the arguments before validation. */
  prepareArguments?(args: unknown): A;
  /** `sequential`: no other call runs at the same time. */
  executionMode?: "sequential" | "parallel";
  hidden?: boolean;
  defaultInactive?: boolean;
  /** `false` has the same effect as `defaultInactive`. */
  defaultActive?: boolean;
  /** `model-only`: other tools cannot call it. `hidden`: the model cannot either. */
  exposure?: "direct" | "model-only" | "codemode" | "deferred" | "hidden";
  /** What the author claims about the tool; shown to the person who decides about its calls. */
  annotations?: ToolAnnotations;
  deferrable?: boolean;
  execute(
    toolCallId: string,
    params: A,
    signal: AbortSignal | undefined,
    onUpdate: ToolUpdate<D> | undefined,
    ctx: ExtensionToolContext,
  ): Promise<ToolResult<D>> | ToolResult<D>;
  onSession?(event: CustomToolSessionEvent, ctx: ExtensionContext): Promise<void> | void;
  /** For terminals; pintle never calls these. */
  renderCall?: unknown;
  renderResult?: unknown;
  renderShell?: unknown;
  /** For programs whose scripts call tools; no effect in pintle. */
  namespace?: unknown;
  outputSchema?: unknown;
  prepareLoadout?: unknown;
  reachesTools?: unknown;
  constrainedSampling?: unknown;
}

export interface CommandDefinition {
  description?: string;
  handler(args: string, ctx: ExtensionCommandContext): Promise<void> | void;
  /** For terminals; pintle never calls it. */
  getArgumentCompletions?: unknown;
}

export interface FlagDefinition {
  type: "boolean" | "string";
  description?: string;
  default?: boolean | string;
}

/** `pi`: the object passed to an extension's factory, one per extension. */
export interface ExtensionAPI {
  /** Returns a function that unsubscribes the handler. */
  on<E extends EventName>(event: E, handler: ExtensionHandler<E>): () => void;
  registerTool<P extends TSchema, D>(tool: ToolDefinition<P, D>): void;
  registerCommand(name: string, command: CommandDefinition): void;
  registerFlag(name: string, flag: FlagDefinition): void;
  getFlag(name: string): boolean | string | undefined;
  /** Accepted without effect: there is no keyboard. */
  registerShortcut(key: string, shortcut: unknown): void;
  /** Accepted without effect: there is no terminal. */
  registerMessageRenderer(customType: string, renderer: unknown): void;
  registerEntryRenderer(customType: string, renderer: unknown): void;
  registerProvider(name: string, provider: ProviderRegistration): void;
  unregisterProvider(name: string): void;
  registerVirtualModel(model: VirtualModel): void;
  unregisterVirtualModel(provider: string, id: string): void;
  /**
   * Registers a server, configured as in mcp.json, while the extension is loaded. A server with the same name in a file takes
   * precedence.
   */
  registerMcpServer(name: string, config: Record<string, unknown>): void;
  unregisterMcpServer(name: string): void;
  getMcpServers(): McpRegistration[];
  /** Accepted without effect: there is no terminal. */
  registerToolRenderer(resolver: unknown): void;
  registerMarkdownTransformer(transformer: unknown): void;
  /** Returns a copy of the effective settings. */
  getSettings(): Record<string, unknown>;

  sendMessage(message: CustomMessageInput, options?: SendOptions): void;
  sendUserMessage(content: UserContent, options?: { deliverAs?: "steer" | "followUp" }): void;
  appendEntry(customType: string, data?: unknown): void;
  setSessionName(name: string): void;
  getSessionName(): string | undefined;
  /** With one argument, sets the name of the extension. */
  setLabel(entryId: string, label?: string | undefined): void;

  getActiveTools(): string[];
  getAllTools(): ToolInfo[];
  setActiveTools(names: readonly string[]): void;
  getCommands(): CommandInfo[];
  /** Returns false if there are no credentials for the model. */
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
  /** Stages a change that must be applied or discarded explicitly. */
  pushPendingAction(action: CustomToolPendingAction): void;
}

/** The return value is awaited and otherwise ignored. */
export type ExtensionFactory = (pi: ExtensionAPI) => unknown;

/** Infers the types of a definition. */
export function defineTool<P extends TSchema, D = unknown>(tool: ToolDefinition<P, D>): ToolDefinition<P, D> {
  return tool;
}
