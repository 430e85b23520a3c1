import { AgentMessageSchema, event } from "@pintle/agent/schemas";
import { ModelSchema, ThinkingLevelSchema } from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import { AvailableCommandSchema } from "../data/available-command.ts";
import { BudgetLimitSchema, BudgetScopeSchema, PauseReasonSchema, ReachedLimitSchema } from "../data/budget.ts";
import { CacheBreakCauseSchema } from "../data/cache-break.ts";
import { CompactionActionSchema, CompactionResultSchema } from "../data/compaction.ts";
import { frameId } from "../data/frame-id.ts";
import { McpServerStatusSchema } from "../data/mcp-server.ts";
import { PendingActionInfoSchema } from "../data/pending-action.ts";
import { ApprovalDecisionSchema, PermissionModeSchema, PermissionRuleSchema } from "../data/permissions.ts";
import { QueueSchema } from "../data/queue.ts";
import { SandboxStatusSchema } from "../data/sandbox-status.ts";
import { SessionEntrySchema } from "../data/session-entry.ts";
import { StreamRuleSchema } from "../data/stream-rule.ts";
import { TodoItemSchema } from "../data/todos.ts";
import { verdict } from "../fields.ts";
import { NOTICE_CODES } from "../notices.ts";
import { DECIDED_BY, oneOf } from "../words.ts";

// What a session tells beyond the events of its runs, a row each. Built when loaded: a program that is about to start imports
// the types from the main entry.

const attempt = () => ({ attempt: Type.Integer({ description: "counted from 1" }) });
const maxAttempts = () => ({ maxAttempts: Type.Integer() });
const compactionReason = () => ({
  reason: oneOf(["threshold", "overflow", "idle"]),
});
const compactionEnd = () => ({
  aborted: Type.Boolean(),
  willRetry: Type.Boolean({ description: "the request that was too large is sent again" }),
  errorMessage: Type.Optional(Type.String()),
});
const piCompactionReason = () => ({
  reason: oneOf(["manual", "threshold", "overflow"]),
});
const limit = () => ({
  limit: BudgetLimitSchema,
  used: Type.Number(),
  max: Type.Number(),
  scope: BudgetScopeSchema,
});
const level = () => oneOf(["info", "warning", "error"]);

export const sessionEventSchemas = {
  cache_break: event(
    "cache_break",
    "A request does not begin with the one before it, so the provider reads again what it had in its cache. Sent before the answer begins.",
    {
      cause: CacheBreakCauseSchema,
      bytesLost: Type.Integer({ description: "of the request before, from the first difference to its end" }),
      tokensLost: Type.Integer({ description: "the same, in the provider's own count where it has told one" }),
    },
  ),
  agent_settled: event("agent_settled", "The run is over and nothing of it is left to do. One per run, the last.", {
    aborted: Type.Boolean({ description: "it was ended by an abort" }),
  }),
  command_output: event(
    "command_output",
    "What a built-in command such as `/mcp list` has to say. In the `pi` dialect an `extension_ui_request` with the method `notify`.",
    { command: Type.String({ description: "without the slash" }), text: Type.String() },
  ),
  message_appended: event(
    "message_appended",
    "A message joined the conversation outside of a run: of an extension, or the output of `bash`. Sent when `set_event_filter` names it; in the `pi` dialect as `message_start` and `message_end`, for those of extensions.",
    { message: AgentMessageSchema },
  ),
  entry_appended: event(
    "entry_appended",
    "Something was stored in the session; told before any other event or answer that tells of it. Sent when `set_event_filter` names it; in the `pi` dialect always, for what extensions store.",
    { entry: SessionEntrySchema },
  ),
  notice: event("notice", "Something a person should know although no command failed.", {
    level: level(),
    message: Type.String(),
    source: Type.Optional(Type.String({ description: "what it is about; `host` for a mistake of the host" })),
    code: Type.Optional(Type.String({ description: "for programs, see Notices", examples: Object.keys(NOTICE_CODES) })),
    requestId: Type.Optional(frameId("of a mistake of the host: the id of its frame, as far as it has one")),
    count: Type.Optional(Type.Integer({ description: "how many of the kind this notice stands for" })),
    lines: Type.Optional(Type.Array(Type.Integer(), { description: "of `damaged_session`: the numbers of the lines" })),
  }),
  approval_resolved: event(
    "approval_resolved",
    "A tool call was allowed or denied, and by whom. Calls that the preset allows are not told.",
    {
      toolCallId: Type.String(),
      decision: ApprovalDecisionSchema,
      by: oneOf(DECIDED_BY),
      rule: Type.Optional(PermissionRuleSchema),
      layer: Type.Optional(Type.String({ description: "whose rule; `protected` for what no preset allows" })),
    },
  ),
  permission_mode_changed: event("permission_mode_changed", "Another preset counts from the next tool call on.", {
    mode: PermissionModeSchema,
  }),
  budget_warning: event("budget_warning", "Four fifths of a limit are used. Told once per limit and run or session.", {
    ...limit(),
  }),
  budget_reached: event(
    "budget_reached",
    "A limit is used up, and no model call starts: the run waits for `raise_budget`, or ends with `endedBy` `budget`. With a `reason` it is not the budget: the run waits for a host that declared `budgets`, and otherwise ends with an error that names the setting.",
    {
      ...limit(),
      limit: ReachedLimitSchema,
      reason: Type.Optional(PauseReasonSchema),
    },
  ),
  queue_update: event("queue_update", "The texts that wait in the queues, after every change.", {
    ...QueueSchema.properties,
  }),
  leaf_moved: event("leaf_moved", "The conversation goes on from another place of the session's tree.", {
    leafId: Type.Union([Type.String(), Type.Null()]),
    previousLeafId: Type.Union([Type.String(), Type.Null()]),
  }),
  session_info_changed: event("session_info_changed", "Another session is open, or this one has another name.", {
    name: Type.Optional(Type.String()),
    sessionId: Type.String(),
    sessionFile: Type.Optional(Type.String()),
  }),
  model_changed: event("model_changed", "Another model answers from the next model call on.", { model: ModelSchema }),
  thinking_level_changed: event("thinking_level_changed", "The level under both names that clients read.", {
    level: ThinkingLevelSchema,
    thinkingLevel: ThinkingLevelSchema,
  }),

  auto_compaction_start: event("auto_compaction_start", "The history is being shortened.", {
    ...compactionReason(),
    action: CompactionActionSchema,
  }),
  auto_compaction_end: event("auto_compaction_end", "It has been, or could not be.", {
    ...compactionReason(),
    action: CompactionActionSchema,
    result: Type.Optional(CompactionResultSchema),
    ...compactionEnd(),
    skipped: Type.Optional(Type.Literal(true, { description: "there was nothing to do" })),
  }),
  compaction_start: event("compaction_start", "Only in the `pi` dialect, instead of `auto_compaction_start`.", {
    ...piCompactionReason(),
  }),
  compaction_end: event("compaction_end", "Only in the `pi` dialect, instead of `auto_compaction_end`.", {
    ...piCompactionReason(),
    result: Type.Union([CompactionResultSchema, Type.Null()]),
    ...compactionEnd(),
  }),

  auto_retry_start: event("auto_retry_start", "The model call failed and is tried again after a wait.", {
    ...attempt(),
    ...maxAttempts(),
    delayMs: Type.Integer(),
    errorMessage: Type.String(),
  }),
  auto_retry_end: event("auto_retry_end", "An attempt succeeded, or no further one is made.", {
    success: Type.Boolean(),
    ...attempt(),
    finalError: Type.Optional(Type.String()),
  }),
  retry_fallback_applied: event("retry_fallback_applied", "Another model takes over after failures.", {
    from: Type.String(),
    to: Type.String(),
    role: Type.String(),
  }),
  retry_fallback_succeeded: event("retry_fallback_succeeded", "The other model has answered.", {
    model: Type.String(),
    role: Type.String(),
  }),
  ttsr_triggered: event(
    "ttsr_triggered",
    "Rules fit what the model was writing; the answer is cut and asked for anew.",
    {
      rules: Type.Array(StreamRuleSchema),
    },
  ),

  todo_reminder: event("todo_reminder", "The model stopped with open tasks and is reminded of them.", {
    todos: Type.Array(TodoItemSchema, { description: "the unfinished ones" }),
    ...attempt(),
    ...maxAttempts(),
  }),
  todo_auto_clear: event("todo_auto_clear", "Finished tasks were removed from the list.", {}),

  pending_action_added: event("pending_action_added", "A change is staged and waits for a decision.", {
    action: PendingActionInfoSchema,
  }),
  pending_action_resolved: event("pending_action_resolved", "A staged change was applied or discarded.", {
    actionId: Type.String(),
    action: verdict(),
    reason: Type.String(),
    by: oneOf(["model", "host", "timeout", "abort", "session"]),
    isError: Type.Boolean(),
    text: Type.String({ description: "what came of it" }),
  }),

  mcp_status: event("mcp_status", "The state of an MCP server has changed.", { server: McpServerStatusSchema }),
  sandbox_status: event(
    "sandbox_status",
    "The strength of the sandbox for commands has been found out, or commands run elsewhere from now on.",
    {
      sandbox: SandboxStatusSchema,
    },
  ),
  available_commands_update: event("available_commands_update", "The list of slash commands has changed.", {
    commands: Type.Array(AvailableCommandSchema),
  }),
  extension_error: event("extension_error", "Code of an extension failed; the session goes on without it.", {
    extensionPath: Type.String({ description: "`command:<name>` for a failing command" }),
    event: Type.String({ description: "what it was asked to handle" }),
    error: Type.String(),
  }),
};
