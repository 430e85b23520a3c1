import { AgentMessageSchema, event } from "@pintle/agent/schemas";
import { ModelSchema, ThinkingLevelSchema } from "@pintle/ai/schemas";
import { Type } from "@pintle/ai/type";
import { AvailableCommandSchema } from "../data/available-command.ts";
import { AsyncJobSchema } from "../data/background-job.ts";
import { BudgetLimitSchema, BudgetScopeSchema, PauseReasonSchema, ReachedLimitSchema } from "../data/budget.ts";
import { CacheBreakCauseSchema } from "../data/cache-break.ts";
import { CompactionActionSchema, CompactionResultSchema } from "../data/compaction.ts";
import { ConflictKindSchema, FileSummarySchema } from "../data/file-change.ts";
import { frameId } from "../data/frame-id.ts";
import { McpServerStatusSchema } from "../data/mcp-server.ts";
import { OutputViolationSchema } from "../data/output-schema.ts";
import { PendingActionInfoSchema } from "../data/pending-action.ts";
import { ApprovalDecisionSchema, PermissionModeSchema, PermissionRuleSchema } from "../data/permissions.ts";
import { QueueSchema } from "../data/queue.ts";
import { SandboxStatusSchema } from "../data/sandbox-status.ts";
import { SessionEntrySchema } from "../data/session-entry.ts";
import { StreamRuleSchema } from "../data/stream-rule.ts";
import { SubagentLifecycleSchema, SubagentReportSchema } from "../data/subagent.ts";
import { TodoItemSchema } from "../data/todos.ts";
import { decidedParts, verdict } from "../fields.ts";
import { NOTICE_CODES } from "../notices.ts";
import { COVERAGES, DECIDED_BY, oneOf } from "../words.ts";

// The events of a session other than those of its runs, a row each. Built when loaded: code that runs at startup
// imports the types from the main entry.

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
    "A request does not begin with the previous one, so the provider has to read again what it had cached. Sent before the answer begins.",
    {
      cause: CacheBreakCauseSchema,
      bytesLost: Type.Integer({ description: "the size of the previous request from the first difference to its end" }),
      tokensLost: Type.Integer({ description: "the same, as counted by the provider, if it reported a count" }),
    },
  ),
  agent_settled: event(
    "agent_settled",
    "The run has ended and nothing is left to do for it. One per run, the last event.",
    {
      aborted: Type.Boolean({ description: "the run was aborted" }),
    },
  ),
  async_job_start: event(
    "async_job_start",
    "A command runs in the background. Sent while async work is on; not in the `pi` dialect.",
    { job: AsyncJobSchema },
  ),
  async_job_end: event(
    "async_job_end",
    "A background job has ended: its processes are gone. Sent while async work is on; not in the `pi` dialect.",
    { job: AsyncJobSchema },
  ),
  subagent_lifecycle: event(
    "subagent_lifecycle",
    "A subagent starts or has ended: once each per run of it. Sent after `set_subagent_subscription`; not in the `pi` dialect, like the next two.",
    { payload: SubagentLifecycleSchema },
  ),
  subagent_progress: event(
    "subagent_progress",
    "What a subagent has done so far, at most four times a second. Sent after `set_subagent_subscription`.",
    { payload: SubagentReportSchema },
  ),
  subagent_event: event(
    "subagent_event",
    "An event of a subagent's session, which appears nowhere else. Sent after `set_subagent_subscription` with `events`.",
    {
      payload: Type.Object({
        id: Type.String(),
        event: Type.Unsafe<object>(Type.Object({ type: Type.String() })),
      }),
    },
  ),
  command_output: event(
    "command_output",
    "The output of a built-in command such as `/mcp list`. In the `pi` dialect an `extension_ui_request` with the method `notify`.",
    { command: Type.String({ description: "without the slash" }), text: Type.String() },
  ),
  message_appended: event(
    "message_appended",
    "A message was added to the conversation outside a run: by an extension, or as the output of `bash`. Sent if `set_event_filter` names it; in the `pi` dialect as `message_start` and `message_end`, for messages of extensions.",
    { message: AgentMessageSchema },
  ),
  entry_appended: event(
    "entry_appended",
    "An entry was stored in the session; sent before any other event or response that refers to it. Sent if `set_event_filter` names it; in the `pi` dialect always, for entries of extensions.",
    { entry: SessionEntrySchema },
  ),
  notice: event("notice", "Something a person should know although no command failed.", {
    level: level(),
    message: Type.String(),
    source: Type.Optional(Type.String({ description: "the topic; `host` for a mistake of the host" })),
    code: Type.Optional(Type.String({ description: "for programs, see Notices", examples: Object.keys(NOTICE_CODES) })),
    requestId: Type.Optional(frameId("for a mistake of the host: the id of its frame, if it has one")),
    count: Type.Optional(Type.Integer({ description: "how many of the kind this notice covers" })),
    lines: Type.Optional(Type.Array(Type.Integer(), { description: "of `damaged_session`: the numbers of the lines" })),
  }),
  approval_resolved: event(
    "approval_resolved",
    "A tool call was allowed or denied, and by whom. Not sent for calls that the preset allows.",
    {
      toolCallId: Type.String(),
      decision: ApprovalDecisionSchema,
      by: oneOf(DECIDED_BY),
      rule: Type.Optional(PermissionRuleSchema),
      layer: Type.Optional(
        Type.String({ description: "the owner of the rule; `protected` for what no preset allows" }),
      ),
    },
  ),
  permission_mode_changed: event("permission_mode_changed", "A different preset applies from the next tool call.", {
    mode: PermissionModeSchema,
  }),
  budget_warning: event("budget_warning", "Four fifths of a limit are used. Sent once per limit and run or session.", {
    ...limit(),
  }),
  budget_reached: event(
    "budget_reached",
    "A limit was reached, and no model call starts: the run waits for `raise_budget`, or ends with `endedBy` `budget`. With a `reason` it is not the budget: the run waits for a host that declared `budgets`, and otherwise ends with an error that names the setting.",
    {
      ...limit(),
      limit: ReachedLimitSchema,
      reason: Type.Optional(PauseReasonSchema),
    },
  ),
  output_rejected: event(
    "output_rejected",
    "The output of the run is invalid, cut or missing, and the model is asked again while attempts are left. Not in the `pi` dialect.",
    {
      ...attempt(),
      attemptsLeft: Type.Integer(),
      errors: Type.Array(OutputViolationSchema),
    },
  ),
  queue_update: event("queue_update", "The queued messages, after every change.", {
    ...QueueSchema.properties,
  }),
  leaf_moved: event("leaf_moved", "The conversation continues from another position in the session's tree.", {
    leafId: Type.Union([Type.String(), Type.Null()]),
    previousLeafId: Type.Union([Type.String(), Type.Null()]),
  }),
  session_info_changed: event("session_info_changed", "Another session is open, or this one was renamed.", {
    name: Type.Optional(Type.String()),
    sessionId: Type.String(),
    sessionFile: Type.Optional(Type.String()),
  }),
  model_changed: event("model_changed", "A different model answers from the next model call.", { model: ModelSchema }),
  thinking_level_changed: event("thinking_level_changed", "The thinking level, under both names that clients read.", {
    level: ThinkingLevelSchema,
    thinkingLevel: ThinkingLevelSchema,
  }),

  session_info_update: event("session_info_update", "Only in the `omp` dialect, alongside `session_info_changed`.", {
    title: Type.Optional(Type.String()),
    sessionId: Type.String(),
  }),
  config_update: event(
    "config_update",
    "Only in the `omp` dialect, alongside `model_changed` and `thinking_level_changed`.",
    { model: Type.Optional(ModelSchema), thinkingLevel: ThinkingLevelSchema },
  ),

  auto_compaction_start: event("auto_compaction_start", "Compaction of the history starts.", {
    ...compactionReason(),
    action: CompactionActionSchema,
  }),
  auto_compaction_end: event("auto_compaction_end", "Compaction has ended, or failed.", {
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

  summarization_retry_scheduled: event(
    "summarization_retry_scheduled",
    "The model call for a summary failed and is repeated after a wait. Only in the dialects `pi` and `omp`.",
    { ...attempt(), ...maxAttempts(), delayMs: Type.Integer(), errorMessage: Type.String() },
  ),
  summarization_retry_attempt_start: event(
    "summarization_retry_attempt_start",
    "It is repeated now. Only in the dialects `pi` and `omp`.",
    {
      source: oneOf(["compaction", "branchSummary"]),
      reason: Type.Optional(
        oneOf(["manual", "threshold", "overflow"], {
          description: "why the history is compacted; absent for a branch",
        }),
      ),
    },
  ),
  summarization_retry_finished: event(
    "summarization_retry_finished",
    "No further attempt is made: the summary is there, or it failed. Only in the dialects `pi` and `omp`.",
    {},
  ),

  auto_retry_start: event("auto_retry_start", "The model call failed and is retried after a wait.", {
    ...attempt(),
    ...maxAttempts(),
    delayMs: Type.Integer(),
    errorMessage: Type.String(),
  }),
  auto_retry_end: event("auto_retry_end", "An attempt succeeded, or no further one follows.", {
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
    "Stream rules matched what the model was writing; the answer is cut and requested again.",
    {
      rules: Type.Array(StreamRuleSchema),
    },
  ),

  todo_reminder: event("todo_reminder", "The model stopped with open tasks, and pintle reminds it of them.", {
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
    text: Type.String({ description: "the outcome" }),
    ...decidedParts(),
  }),

  checkpoint_created: event(
    "checkpoint_created",
    "A run has changed files for the first time, and `rewind_files` can now undo it. Sent before its first `files_changed`. The `pi` dialect omits this event, `files_changed` and `files_rewound`.",
    {
      checkpointId: Type.String(),
      entryId: Type.String({ description: "the user message of the run; empty if the run had none" }),
      coverage: oneOf(COVERAGES),
    },
  ),
  files_changed: event("files_changed", "A tool call has changed files. Sent after the call, before `turn_end`.", {
    checkpointId: Type.String(),
    toolCallId: Type.Optional(Type.String({ description: "absent for calls that ran at the same time" })),
    files: Type.Array(FileSummarySchema, { description: "at most 200" }),
    more: Type.Optional(Type.Integer({ description: "how many files are left out" })),
  }),
  files_rewound: event("files_rewound", "File changes were undone, or redone.", {
    rewindId: Type.String(),
    to: Type.Optional(Type.String({ description: "the entry or checkpoint; absent for a redo" })),
    redo: Type.Boolean(),
    files: Type.Array(FileSummarySchema),
    skipped: Type.Array(Type.Object({ path: Type.String(), kind: ConflictKindSchema }), {
      description: "files that stay as they are because something else has changed them",
    }),
  }),

  mcp_status: event("mcp_status", "The state of an MCP server has changed.", { server: McpServerStatusSchema }),
  sandbox_status: event(
    "sandbox_status",
    "The strength of the sandbox was determined, or commands run elsewhere from now on.",
    {
      sandbox: SandboxStatusSchema,
    },
  ),
  available_commands_update: event("available_commands_update", "The list of slash commands has changed.", {
    commands: Type.Array(AvailableCommandSchema),
  }),
  extension_error: event("extension_error", "An extension failed; the session continues without its result.", {
    extensionPath: Type.String({ description: "`command:<name>` for a failing command" }),
    event: Type.String({ description: "what it was asked to handle" }),
    error: Type.String(),
  }),
};
