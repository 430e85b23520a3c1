import type { AgentMessage } from "@pintle/agent";
import type { Model, ThinkingLevel } from "@pintle/ai";
import type { Static } from "typebox";
import type { PendingActionInfo } from "../../../previews/pending-action.ts";
import type { BashResult } from "../../../processes/bash-result.ts";
import { Type } from "../../../schemas/type.ts";
import type {
  AgentSessionEvent,
  AvailableCommand,
  CompactionResult,
  McpServerStatus,
  TodoPhase,
} from "../../../session/session-events.ts";
import type { SessionStats } from "../../../session/session-stats.ts";
import type { SessionEntry } from "../../../storage/entries/entries.ts";
import type { SessionTreeNode, UserMessageText } from "../../../storage/session-tree.ts";
import { ompOnlyCommands } from "../dialects/omp-commands.ts";
import type { QuestionFrame } from "../host/host-frames.ts";
import { pendingWait } from "../host/pending-wait.ts";
import { type FieldFault, noParams, noResult, nullable, row, wireType } from "./command-row.ts";
import {
  inputImage,
  interruptMode,
  listedSession,
  queueMode,
  sessionState,
  sessionStatus,
  thinkingLevel,
} from "./wire-schemas.ts";

const OF_A_MODEL = ["model_changed", "thinking_level_changed"] as const;
/** Another session has other everything. */
const OF_A_SESSION = [
  ...OF_A_MODEL,
  "session_info_changed",
  "queue_update",
  "available_commands_update",
  "notice",
] as const;

const cancelled = () => Type.Object({ cancelled: Type.Boolean() });

const userInput = () => Type.Object({ message: Type.String(), images: Type.Optional(Type.Array(inputImage())) });

/** Two names for the same command: the seeds' and pi's. */
const branchRow = {
  summary: "A new session that ends before that message of the user.",
  params: () => Type.Object({ entryId: Type.String() }),
  result: () => Type.Object({ text: Type.String(), cancelled: Type.Boolean() }),
  lane: "ordered",
  announces: OF_A_SESSION,
} as const;

const branchMessagesRow = {
  summary: "The messages of the user that a session can be branched before.",
  params: noParams,
  result: () => Type.Object({ messages: Type.Array(wireType<UserMessageText>("UserMessageText")) }),
  lane: "read",
} as const;

function hasContent({ message, images = [] }: { message: string; images?: unknown[] }): FieldFault | undefined {
  if (message !== "" || images.length > 0) return undefined;
  return { field: "message", mustBe: "a non-empty string" };
}

const mcpServers = () => Type.Object({ servers: Type.Array(wireType<McpServerStatus>("McpServerStatus")) });

export const commands = {
  prompt: row({
    summary: "Start a run, or with streamingBehavior queue the message for the active one.",
    params: () =>
      Type.Object({
        message: Type.String(),
        images: Type.Optional(Type.Array(inputImage())),
        streamingBehavior: Type.Optional(Type.Union([Type.Literal("steer"), Type.Literal("followUp")])),
      }),
    result: noResult,
    lane: "ordered",
    beginsRun: true,
    check: hasContent,
  }),
  steer: row({
    summary: "Queue a message for the next turn boundary; without a run it goes out with the next one.",
    params: userInput,
    result: noResult,
    lane: "ordered",
    announces: ["queue_update"],
    check: hasContent,
  }),
  follow_up: row({
    summary: "Queue a message for the moment when the run would otherwise end.",
    params: userInput,
    result: noResult,
    lane: "ordered",
    announces: ["queue_update"],
    check: hasContent,
  }),
  abort: row({
    summary: "Stop the active run and answer when the session is idle.",
    params: noParams,
    result: noResult,
    lane: "control",
    endsRuns: true,
  }),
  abort_and_prompt: row({
    summary: "Stop the active run at once, then start a new one.",
    params: userInput,
    result: noResult,
    lane: "ordered",
    beginsRun: true,
    abortsOnReceipt: true,
    check: hasContent,
  }),
  clear_queue: row({
    summary: "Remove all queued messages and give back their texts.",
    params: noParams,
    result: () => Type.Object({ steering: Type.Array(Type.String()), followUp: Type.Array(Type.String()) }),
    lane: "ordered",
  }),

  new_session: row({
    summary: "End the run and start an empty session.",
    params: () => Type.Object({ parentSession: Type.Optional(Type.String()) }),
    result: cancelled,
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  switch_session: row({
    summary: "Open another session; if that fails, everything stays as it is.",
    params: () => Type.Object({ sessionPath: Type.String() }),
    result: cancelled,
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  branch: row(branchRow),
  fork: row(branchRow),
  clone: row({
    summary: "Copy the active path into a new session and open it.",
    params: noParams,
    result: cancelled,
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  set_session_name: row({
    summary: "Name the session.",
    params: () => Type.Object({ name: Type.String() }),
    result: noResult,
    lane: "ordered",
  }),

  get_state: row({
    summary: "The session's state in one object.",
    params: noParams,
    result: sessionState,
    lane: "read",
    overtakesLong: true,
  }),
  get_messages: row({
    summary: "All finished messages of the conversation.",
    params: noParams,
    result: () => Type.Object({ messages: Type.Array(wireType<AgentMessage>("AgentMessage")) }),
    lane: "read",
  }),
  get_messages_page: row({
    summary: "A part of the messages, oldest first; for hosts with a limit on the length of a line.",
    params: () => Type.Object({ cursor: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer()) }),
    result: () =>
      Type.Object({
        messages: Type.Array(wireType<AgentMessage>("AgentMessage")),
        nextCursor: Type.Optional(Type.String()),
        totalMessages: Type.Integer(),
      }),
    lane: "read",
    check: ({ limit = 1 }) =>
      limit >= 1 && limit <= 256 ? undefined : { field: "limit", mustBe: "between 1 and 256" },
  }),
  get_last_assistant_text: row({
    summary: "The text of the newest answer.",
    params: noParams,
    result: () => Type.Object({ text: nullable(Type.String()) }),
    lane: "read",
  }),
  get_session_stats: row({
    summary: "Counts, tokens and cost of what is in context, and of the whole path.",
    params: noParams,
    result: () => wireType<SessionStats>("SessionStats"),
    lane: "read",
  }),
  get_branch_messages: row(branchMessagesRow),
  get_fork_messages: row(branchMessagesRow),
  get_entries: row({
    summary: "The entries of the session file in the order they were stored, or those after one.",
    params: () => Type.Object({ since: Type.Optional(Type.String()) }),
    result: () =>
      Type.Object({ entries: Type.Array(wireType<SessionEntry>("SessionEntry")), leafId: nullable(Type.String()) }),
    lane: "read",
  }),
  get_tree: row({
    summary: "The entries of the session file as a forest.",
    params: noParams,
    result: () =>
      Type.Object({ tree: Type.Array(wireType<SessionTreeNode>("SessionTreeNode")), leafId: nullable(Type.String()) }),
    lane: "read",
  }),
  list_sessions: row({
    summary: "Stored sessions that hold a message, the one written last first.",
    params: () =>
      Type.Object({
        cwd: Type.Optional(Type.String({ description: "only of this working directory" })),
        query: Type.Optional(
          Type.String({ description: "words that are all in the id, the name, the first message or the directory" }),
        ),
        status: Type.Optional(sessionStatus()),
        limit: Type.Optional(Type.Integer({ description: "1 to 256, 50 when not given" })),
        cursor: Type.Optional(Type.String({ description: "nextCursor of the page before" })),
      }),
    result: () => Type.Object({ sessions: Type.Array(listedSession()), nextCursor: Type.Optional(Type.String()) }),
    lane: "read",
    check: ({ limit = 1 }) =>
      limit >= 1 && limit <= 256 ? undefined : { field: "limit", mustBe: "between 1 and 256" },
  }),

  set_model: row({
    summary: "Choose the model for the next model call.",
    params: () => Type.Object({ provider: Type.String(), modelId: Type.String() }),
    result: () => wireType<Model>("Model"),
    lane: "ordered",
    announces: OF_A_MODEL,
  }),
  cycle_model: row({
    summary: "Choose the next model of the scope, or of all that can be used.",
    params: noParams,
    result: () =>
      nullable(
        Type.Object({
          model: wireType<Model>("Model"),
          thinkingLevel: Type.Optional(wireType<ThinkingLevel>("ThinkingLevel")),
          isScoped: Type.Boolean(),
        }),
      ),
    lane: "ordered",
  }),
  get_available_models: row({
    summary: "The models that can be used now.",
    params: noParams,
    result: () => Type.Object({ models: Type.Array(wireType<Model>("Model")) }),
    lane: "read",
    letsOthersPass: true,
    overtakesLong: true,
  }),
  set_thinking_level: row({
    summary: "Choose how much the model thinks, as far as it can.",
    params: () => Type.Object({ level: thinkingLevel() }),
    result: noResult,
    lane: "ordered",
  }),
  cycle_thinking_level: row({
    summary: "Choose the next thinking level of the model.",
    params: noParams,
    result: () => nullable(Type.Object({ level: wireType<ThinkingLevel>("ThinkingLevel") })),
    lane: "ordered",
  }),
  get_available_thinking_levels: row({
    summary: "The thinking levels of the model, ascending.",
    params: noParams,
    result: () => Type.Object({ levels: Type.Array(wireType<ThinkingLevel>("ThinkingLevel")) }),
    lane: "read",
  }),

  set_steering_mode: row({
    summary: "How many steering messages are delivered at once.",
    params: () => Type.Object({ mode: queueMode() }),
    result: noResult,
    lane: "ordered",
  }),
  set_follow_up_mode: row({
    summary: "How many follow-ups are delivered at once.",
    params: () => Type.Object({ mode: queueMode() }),
    result: noResult,
    lane: "ordered",
  }),
  set_interrupt_mode: row({
    summary: "Whether steering cuts a batch of tool calls short or waits for the end of the turn.",
    params: () => Type.Object({ mode: interruptMode() }),
    result: noResult,
    lane: "ordered",
  }),
  set_update_mode: row({
    summary: "Whether a message_update repeats the message so far (full) or only says what is new (delta).",
    params: () => Type.Object({ mode: Type.Union([Type.Literal("full"), Type.Literal("delta")]) }),
    result: noResult,
    lane: "ordered",
  }),

  set_event_filter: row({
    summary:
      "Which events are sent: those named, or, without a list, all that are sent by default, for which `*` stands in a list. What is no event of the session is always sent.",
    params: () =>
      Type.Object({
        events: Type.Optional(Type.Array(Type.String({ pattern: ".", description: "the type of an event" }))),
      }),
    result: () => Type.Object({ events: nullable(Type.Array(Type.String())) }),
    lane: "ordered",
  }),
  negotiate_protocol: row({
    summary: "Which version of the protocol is spoken. There is one, without chunks, whatever is asked for.",
    params: () => Type.Object({ protocolVersion: Type.Optional(Type.Integer()) }),
    result: () => Type.Object({ protocolVersion: Type.Literal(1) }),
    lane: "ordered",
  }),

  set_host_tools: row({
    summary: "Replace the tools that run in the host.",
    params: () => Type.Object({ tools: Type.Unsafe<unknown[]>({ type: "array" }) }),
    result: () => Type.Object({ toolNames: Type.Array(Type.String()) }),
    lane: "ordered",
  }),
  set_host_capabilities: row({
    summary: "What the host can answer: dialogs, the trust question, previews.",
    params: () =>
      Type.Object({
        ui: Type.Optional(Type.Boolean()),
        trust: Type.Optional(Type.Boolean()),
        resolvePreviews: Type.Optional(Type.Boolean()),
      }),
    result: () => Type.Object({ ui: Type.Boolean(), trust: Type.Boolean(), resolvePreviews: Type.Boolean() }),
    lane: "ordered",
  }),
  get_pending: row({
    summary: "Everything that waits for the host.",
    params: noParams,
    result: () => Type.Object({ pending: Type.Array(pendingWait()) }),
    lane: "control",
  }),
  get_pending_actions: row({
    summary: "The previews that nobody has decided on, the newest first.",
    params: noParams,
    result: () => Type.Object({ actions: Type.Array(wireType<PendingActionInfo>("PendingActionInfo")) }),
    lane: "control",
  }),
  resolve_pending_action: row({
    summary: "Apply or discard a preview: the newest, or the one named. Answered when that is done.",
    params: () =>
      Type.Object({
        actionId: Type.Optional(Type.String()),
        action: Type.Union([Type.Literal("apply"), Type.Literal("discard")]),
        reason: Type.Optional(Type.String()),
        hunks: Type.Optional(Type.Never({ description: "reserved" })),
      }),
    result: () =>
      Type.Object({
        actionId: Type.String(),
        action: Type.Union([Type.Literal("apply"), Type.Literal("discard")]),
        text: Type.String(),
        isError: Type.Boolean(),
        details: Type.Optional(Type.Unknown()),
      }),
    lane: "control",
  }),

  set_todos: row({
    summary: "Replace the todo list.",
    params: () => Type.Object({ phases: Type.Unsafe<unknown[]>({ type: "array" }) }),
    result: () => Type.Object({ todoPhases: Type.Array(wireType<TodoPhase>("TodoPhase")) }),
    lane: "ordered",
  }),

  compact: row({
    summary: "End the run and replace older messages by a summary.",
    params: () => Type.Object({ customInstructions: Type.Optional(Type.String()) }),
    result: () => wireType<CompactionResult>("CompactionResult"),
    lane: "long",
  }),
  set_auto_compaction: row({
    summary: "Whether the conversation is shortened by itself before it outgrows the model.",
    params: () => Type.Object({ enabled: Type.Boolean() }),
    result: noResult,
    lane: "ordered",
  }),
  set_auto_retry: row({
    summary: "Whether a failed model call is tried again.",
    params: () => Type.Object({ enabled: Type.Boolean() }),
    result: noResult,
    lane: "ordered",
  }),
  export_html: row({
    summary: "Write the session as a page that only its owner can read.",
    params: () =>
      Type.Object({
        outputPath: Type.Optional(Type.String()),
        redact: Type.Optional(
          Type.Boolean({ description: "false: known secrets and what looks like a key are shown; default true" }),
        ),
      }),
    result: () => Type.Object({ path: Type.String({ description: "absolute" }) }),
    lane: "long",
  }),

  bash: row({
    summary: "Run a command of the user in the session's directory; its output joins the conversation.",
    params: () =>
      Type.Object({
        command: Type.String(),
        excludeFromContext: Type.Optional(
          Type.Boolean({ description: "in the history, but never shown to the model" }),
        ),
      }),
    result: () => wireType<BashResult>("BashResult"),
    lane: "detached",
    check: ({ command }) => (command.trim() === "" ? { field: "command", mustBe: "a non-empty string" } : undefined),
  }),
  abort_bash: row({
    summary: "Stop the running command and those that wait.",
    params: noParams,
    result: noResult,
    lane: "control",
  }),
  get_mcp_status: row({
    summary: "The MCP servers of the session and their state.",
    params: noParams,
    result: mcpServers,
    lane: "read",
  }),
  reload_mcp: row({
    summary: "Read the files that name MCP servers again, and try those that failed or ended. Does not wait for them.",
    params: noParams,
    result: mcpServers,
    lane: "ordered",
  }),
  get_available_commands: row({
    summary: "Slash commands that a prompt may begin with.",
    params: noParams,
    result: () => Type.Object({ commands: Type.Array(wireType<AvailableCommand>("AvailableCommand")) }),
    lane: "read",
  }),
  get_commands: row({
    summary: "The same list as pi's clients read it.",
    params: noParams,
    result: () => Type.Object({ commands: Type.Array(Type.Unsafe<object>(Type.Object({}))) }),
    lane: "read",
  }),
  abort_retry: row({
    summary: "End the wait before the next attempt.",
    params: noParams,
    result: noResult,
    lane: "control",
    endsRuns: true,
  }),
  ...ompOnlyCommands,
};

export type CommandName = keyof typeof commands;
export type Params<N extends CommandName> = Static<ReturnType<(typeof commands)[N]["params"]>>;
export type Result<N extends CommandName> = Static<ReturnType<(typeof commands)[N]["result"]>>;

export type FrameId = string | number;

export type ResponseFrame = { id?: FrameId; type: "response"; command: string } & (
  | { success: true; data?: object | null }
  | { success: false; error: string; code?: string; requestId?: FrameId }
);

/** The first line of every connection. */
export interface ReadyFrame {
  type: "ready";
  version: string;
  protocolVersion: 1;
  supportedProtocolVersions: [1];
  sessionId: string;
  sessionFile?: string;
  trust: "none" | "trusted" | "withheld";
  capabilities: string[];
}

/** The end of an accepted prompt, whether or not there was a run. */
export interface PromptResultFrame {
  type: "prompt_result";
  id?: FrameId;
  agentInvoked: boolean;
  status: "completed" | "aborted" | "error";
  error?: { message: string; retryable: boolean; provider?: string; model?: string };
  sessionSettled: true;
}

/** Nothing is left to do for any prompt so far. */
export interface SessionSettledFrame {
  type: "session_settled";
}

/** What the host's own `bash` has written since the last one. */
export interface BashUpdateFrame {
  type: "bash_execution_update";
  commandId?: FrameId;
  delta: string;
}

export type ServerFrame =
  | ReadyFrame
  | ResponseFrame
  | PromptResultFrame
  | SessionSettledFrame
  | BashUpdateFrame
  | AgentSessionEvent
  | QuestionFrame;
