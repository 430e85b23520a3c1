import type { AgentMessage, ToolAnnotations, ToolResult } from "@pintle/agent";
import type { ImageContent, Model, ThinkingLevel } from "@pintle/ai";
import type { AgentSessionEvent, BashResult } from "@pintle/wire";
import type { CompactionHooks } from "../../compaction/compaction-hooks.ts";
import type {
  CustomMessageInput,
  InputSource,
  RunStart,
  ShutdownReason,
  StartReason,
} from "../../session/session-hooks.ts";
import type { BashOperations } from "../../tools/bash/run-command.ts";
import type { McpRegistration } from "./extension-host.ts";
import type { ExtensionContext } from "./extension-types.ts";

type Fields<T extends AgentSessionEvent["type"]> = Omit<Extract<AgentSessionEvent, { type: T }>, "type">;
type HookEvent<K extends keyof CompactionHooks> = Parameters<NonNullable<CompactionHooks[K]>>[0];
type HookAnswer<K extends keyof CompactionHooks> = Awaited<ReturnType<NonNullable<CompactionHooks[K]>>>;
type BranchChange = { entryId: string; position: "before" | "at" };
type ForkAnswer = { cancel?: boolean; skipConversationRestore?: boolean };

interface UiPrompt {
  reason: "ui_prompt";
  kind: "select" | "confirm" | "input" | "editor";
  title?: string;
}

/** An entry that an extension adds at the end of a run. */
type SettleEntry =
  | { type: "custom"; customType: string; data?: unknown }
  | ({ type: "custom_message" } & CustomMessageInput);

type ShownMessage = AgentMessage | { role: "system"; content: string };

/** The fields of each event, and the answer of its handlers if an answer has an effect. */
interface EventRows {
  session_start: { event: { reason: StartReason; previousSessionFile?: string } };
  session_switch: { event: { reason: "new" | "resume"; previousSessionFile?: string } };
  session_branch: { event: { previousSessionFile?: string } };
  session_shutdown: { event: { reason: ShutdownReason; targetSessionFile?: string } };
  session_compact: { event: HookEvent<"compacted"> };
  session_tree: { event: HookEvent<"treeMoved"> };
  agent_start: { event: object };
  agent_end: { event: Fields<"agent_end"> };
  agent_settled: { event: Fields<"agent_settled"> };
  turn_start: { event: { turnIndex: number; timestamp: number } };
  turn_end: { event: Fields<"turn_end"> & { turnIndex: number } };
  message_start: { event: Fields<"message_start"> };
  message_update: { event: Fields<"message_update"> };
  tool_execution_start: { event: Fields<"tool_execution_start"> };
  tool_execution_update: { event: Fields<"tool_execution_update"> };
  tool_execution_end: { event: Fields<"tool_execution_end"> };
  after_provider_response: { event: { status: number; headers: Record<string, string> } };
  model_select: { event: { model: Model; previousModel?: Model | undefined; source: "set" | "cycle" | "restore" } };
  thinking_level_select: { event: { level: ThinkingLevel; previousLevel: ThinkingLevel } };
  pending_action_added: { event: Fields<"pending_action_added"> };
  pending_action_resolved: { event: Fields<"pending_action_resolved"> };
  auto_compaction_start: { event: Fields<"auto_compaction_start"> };
  auto_compaction_end: { event: Fields<"auto_compaction_end"> };
  auto_retry_start: { event: Fields<"auto_retry_start"> };
  auto_retry_end: { event: Fields<"auto_retry_end"> };
  ttsr_triggered: { event: Fields<"ttsr_triggered"> };
  todo_reminder: { event: Fields<"todo_reminder"> };
  session_info_changed: { event: { name: string | undefined } };
  session_compact_failed: {
    event: {
      reason: "manual" | "threshold" | "overflow";
      errorMessage?: string;
      aborted: boolean;
      willRetry: boolean;
      fromExtension: boolean;
    };
  };
  ui_prompt_start: { event: UiPrompt };
  ui_prompt_end: { event: UiPrompt };
  mcp_servers_change: { event: { servers: McpRegistration[] } };
  /** One parsed event of a provider's answer, unchanged. */
  provider_stream_event: { event: { provider: string; api: string; model: string; data: unknown } };
  /** Never emitted: only the user or the host can trust a project. */
  project_trust: { event: { cwd: string } };
  /** Never emitted: pintle sends no requests to keep a cache warm. */
  cache_warming_decision: { event: object };

  resources_discover: {
    event: { cwd: string; reason: "startup" | "reload" };
    answer: { skillPaths?: string[]; promptPaths?: string[]; themePaths?: string[] };
  };
  session_before_switch: {
    event: { reason: "new" | "resume" | "fork"; targetSessionFile?: string };
    answer: { cancel?: boolean };
  };
  session_before_fork: { event: BranchChange; answer: ForkAnswer };
  /** The older name of `session_before_fork`. */
  session_before_branch: { event: BranchChange; answer: ForkAnswer };
  session_before_compact: { event: HookEvent<"beforeCompact">; answer: HookAnswer<"beforeCompact"> };
  "session.compacting": { event: HookEvent<"compacting">; answer: HookAnswer<"compacting"> };
  session_before_tree: { event: HookEvent<"beforeTree">; answer: HookAnswer<"beforeTree"> };
  input: {
    event: { text: string; images?: ImageContent[]; source: InputSource };
    answer:
      | { action: "continue" | "handled"; text?: undefined; images?: undefined }
      | { action: "transform"; text: string; images?: ImageContent[] }
      | { action?: undefined; handled?: boolean; text?: string; images?: ImageContent[] };
  };
  before_agent_start: { event: RunStart; answer: { message?: CustomMessageInput; systemPrompt?: string } };
  /** Emitted when the run would end. `continue` requests another model call with the messages in `entries`. */
  agent_before_settle: {
    event: { entries: SettleEntry[]; continue: boolean; outcome: "completed" | "aborted" | "error" };
    answer: { entries?: SettleEntry[]; continue?: boolean };
  };
  /** Includes the system prompt as the first message; changing that message has no effect. */
  context_with_system: { event: { messages: ShownMessage[] }; answer: { messages?: ShownMessage[] } };
  /** Handlers may change headers in place; null removes one. */
  before_provider_headers: { event: { headers: Record<string, string | null> }; answer: unknown };
  context: { event: { messages: AgentMessage[] }; answer: { messages?: AgentMessage[] } };
  /** Any answer except undefined replaces the body. */
  before_provider_request: { event: { payload: unknown }; answer: unknown };
  message_end: { event: { message: AgentMessage }; answer: { message?: AgentMessage } };
  tool_call: {
    /** Handlers may change `input` in place. */
    event: {
      toolCallId: string;
      toolName: string;
      /** The call whose tool made this one. */
      parentToolCallId?: string;
      input: Record<string, unknown>;
      /** What the MCP server claims about the tool, which need not be true. */
      annotations?: ToolAnnotations;
    };
    answer: { block?: boolean; reason?: string; input?: Record<string, unknown> };
  };
  tool_result: {
    event: {
      toolCallId: string;
      toolName: string;
      parentToolCallId?: string;
      input: Record<string, unknown>;
      isError: boolean;
    } & Pick<ToolResult, "content" | "details">;
    answer: Partial<Pick<ToolResult, "content" | "details" | "isError">>;
  };
  user_bash: {
    event: { command: string; excludeFromContext: boolean; cwd: string };
    answer: { result?: BashResult; operations?: BashOperations };
  };
}

export type EventName = keyof EventRows;
export type EventFields<E extends EventName> = EventRows[E]["event"];
export type EventAnswer<E extends EventName> = EventRows[E] extends { answer: infer A } ? A : undefined;

// biome-ignore lint/suspicious/noConfusingVoidType: most handlers return nothing at all
type Answer<A> = A | undefined | void;

/** Handlers by event, so that each return type is that event's answer. */
interface Handlers extends HandlersOf<EventRows> {}
type HandlersOf<Rows> = {
  [E in keyof Rows]: (
    event: { type: E } & (Rows[E] extends { event: infer F } ? F : never),
    ctx: ExtensionContext,
  ) => Rows[E] extends { answer: infer A } ? Answer<A> | Promise<Answer<A>> : unknown;
};

export type ExtensionHandler<E extends EventName> = Handlers[E];

/** A handler of any event, for lists of all handlers. */
export type AnyHandler = (event: { type: string }, ctx: ExtensionContext) => unknown;
