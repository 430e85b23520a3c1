import type { AgentMessage } from "@pintle/agent";
import { ABORTED_TEXT, errorText } from "@pintle/ai";
import { isBadName, isSystemError } from "@pintle/foundation";
import { SessionError } from "@pintle/storage";
import {
  type CommandAlias,
  type CommandName,
  type CommandRow,
  commands,
  type Params,
  type PermissionRule,
  type Result,
} from "@pintle/wire";
import { DEFAULT_THINKING_LEVEL } from "../../../config/models/default-model.ts";
import { toWireModel } from "../../../config/models/wire-model.ts";
import { readRules } from "../../../permissions/rules/read-rules.ts";
import { toAvailableCommand, toPiCommand } from "../../../resources/prompts/slash-commands.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import { readOutputSchema } from "../../../session/output/output-schemas.ts";
import { CANCELLED_BASH } from "../../../session/processes/bash-runner.ts";
import type { PromptInput } from "../../../session/prompting/prompting.ts";
import type { PromptOutcome, Submission } from "../../../session/runs/run-controller.ts";
import { readTraceHeaders } from "../../../traces/trace-headers.ts";
import { previewWaits } from "../host/preview-waits.ts";
import type { CommandCall, Handler, PromptEnding } from "./command-call.ts";
import { outputOfEarlierBash } from "./earlier-bash.ts";
import { effectiveSettings } from "./effective-settings.ts";
import { entriesPage } from "./entries-page.ts";
import { listSessions } from "./list-sessions.ts";
import { messagesPage } from "./messages-page.ts";
import { ompOnlyHandlers } from "./omp-handlers.ts";
import { toBriefState, toSessionState } from "./session-state.ts";
import { subagentHandlers } from "./subagent-handlers.ts";

const firstNames: { [N in Exclude<CommandName, CommandAlias>]: Handler<N> } = {
  prompt: (session, { message, images, streamingBehavior, outputSchema, timeoutMs, ...trace }, call) =>
    prompt(
      session,
      { text: message, images, streamingBehavior, outputSchema, timeoutMs, trace: readTraceHeaders(trace) },
      call,
    ),
  abort_and_prompt: (session, { message, images, outputSchema, timeoutMs, ...trace }, call) =>
    prompt(session, { text: message, images, outputSchema, timeoutMs, trace: readTraceHeaders(trace) }, call),
  async set_output_schema(session, { schema }) {
    await session.output.setDefault(schema);
    return { outputSchema: session.output.default?.schema ?? null };
  },
  steer: (session, { message, images }) => session.prompting.steer({ text: message, images }),
  follow_up: (session, { message, images }) => session.prompting.followUp({ text: message, images }),
  abort(session, { scope }, call) {
    call.abortEarlier("runs");
    return session.abort({ endsJobs: scope === "all" });
  },
  continue_run: (session, trace, call) =>
    beginRun(session, call, (options) => session.prompting.continueRun({ ...options, trace: readTraceHeaders(trace) })),
  store_prompts: (session, params) => ({ entryIds: session.prompting.storePrompts(params) }),
  clear_queue({ queue }) {
    const undelivered = { steering: queue.texts("steering"), followUp: queue.texts("followUp") };
    queue.clear("steering", "followUp");
    return undelivered;
  },
  remove_queued({ queue }, { queueId }) {
    const removed = queue.remove(queueId);
    if (!removed) throw new SessionError("not_found", `No message with this id is queued: ${queueId}`);
    return removed;
  },

  new_session: async (session, { parentSession }) => ({
    cancelled: await session.changes.newSession({ parentSession }),
  }),
  switch_session: async (session, { sessionPath }) => ({ cancelled: await session.changes.switchSession(sessionPath) }),
  branch,
  clone: async (session) => ({ cancelled: await session.changes.clone() }),
  set_session_name: (session, { name }) => session.conversation.rename(name),
  move_leaf: moveLeaf,
  rename_session: ({ stored }, { name, ...which }) => stored.rename(which, name),
  delete_session: ({ stored }, which) => stored.delete(which),
  restore_session: ({ stored }, { sessionId }) => stored.restore(sessionId),

  // Immediately, except the first time, so that nothing overtakes it.
  get_state(session, { brief = false }, call) {
    const read = () => (brief ? toBriefState(session) : toSessionState(session));
    if (!session.undo.state) return session.undo.load().then(() => handlers.get_state(session, { brief }, call));
    return !session.systemPrompt.isBuilt || session.sandbox.isUnknown
      ? Promise.all([session.systemPrompt.load(), session.sandbox.probe()]).then(read)
      : read();
  },
  get_messages: (session) => ({ messages: session.messages as AgentMessage[] }),
  get_messages_page: messagesPage,
  get_last_assistant_text: (session) => ({ text: session.getLastAssistantText() ?? null }),
  get_session_stats: (session) => session.getSessionStats(),
  get_branch_messages: (session) => ({ messages: session.manager.userMessages() }),
  get_entries: ({ manager }, which) => ({ ...entriesPage(manager, which), leafId: manager.leafId }),
  list_sessions: (session, query, { connection }) =>
    listSessions(
      session,
      query,
      [...connection.host.list(), ...previewWaits(session.tooling.previews.list())].length > 0,
    ),
  complete_path: (session, { query, limit }) => session.completions.complete(query, limit),
  get_settings: async (session) => ({ settings: await effectiveSettings(session) }),
  get_tree: ({ manager }) => ({ tree: manager.tree(), leafId: manager.leafId }),

  set_model: async (session, { provider, modelId }) =>
    toWireModel(await session.models.discoverAndSet(provider, modelId)),
  cycle_model(session) {
    const next = session.models.cycle();
    return next && { ...next, model: toWireModel(next.model) };
  },
  get_available_models: async (session) => ({ models: (await session.models.available()).map(toWireModel) }),
  set_api_key: (session, { provider, key }) => session.modelState.changeKey(provider, key),
  remove_api_key: (session, { provider }) => session.modelState.changeKey(provider, undefined),
  set_thinking_level(session, { level }) {
    const defaultLevel = session.settings.get("defaultThinkingLevel") ?? DEFAULT_THINKING_LEVEL;
    session.models.setLevel(level === "auto" ? defaultLevel : level);
  },
  cycle_thinking_level(session) {
    const level = session.models.cycleLevel();
    return level === undefined ? null : { level };
  },
  get_available_thinking_levels: (session) => ({ levels: session.models.levels() }),

  set_steering_mode(session, { mode }) {
    session.queue.steeringMode = mode;
  },
  set_follow_up_mode(session, { mode }) {
    session.queue.followUpMode = mode;
  },
  set_interrupt_mode(session, { mode }) {
    session.prompting.interruptMode = mode;
  },
  set_update_mode: (_session, { mode }, { connection }) => connection.setUpdateMode(mode),
  set_event_filter: (_session, { events = null }, { connection }) => ({ events: connection.setEventFilter(events) }),
  ping() {},
  confirm_lease: (session, { ms }) => session.lease.confirm(ms),
  negotiate_protocol: (_session, { protocolVersion }, { connection }) => ({
    protocolVersion: connection.negotiate(protocolVersion),
  }),

  async set_host_tools({ tooling: { registry } }, { tools }, { connection }) {
    const defined = await connection.host.tools.define(tools, (name) => registry.isTaken(name, "host"));
    registry.replace("host", defined);
    return { toolNames: defined.map(({ tool }) => tool.name) };
  },
  set_host_capabilities(session, change, { connection }) {
    const { capabilities } = connection.host;
    const declared = capabilities.declare(change);
    session.host.changed();
    if (change.mcpAuth) void session.mcp.logIn(); // does not reject, because a server that cannot be used is only a warning
    if (change.trust) {
      session.consent.askOf({
        by: "host",
        ask: (request, signal) => connection.host.askForTrust(request, signal),
      });
    }
    return declared;
  },
  set_policy: (session, { rules }) => session.permissions.setHostRules(checkedRules(rules)),
  get_policy({ permissions }) {
    return { mode: permissions.mode, rules: permissions.list().map(({ rule, layer }) => ({ ...rule, layer })) };
  },
  set_permission_mode({ permissions }, { mode }) {
    permissions.mode = mode;
  },
  set_sandbox_mode: (session, { mode }) => session.setSandboxMode(mode),
  set_budget: ({ budget }, wanted) => budget.set(wanted) ?? null,
  raise_budget: ({ budget }, totals) => budget.raise(totals),
  get_pending: (session, _params, { connection }) => ({
    pending: [...connection.host.list(), ...previewWaits(session.tooling.previews.list())],
  }),
  get_pending_actions: (session) => ({ actions: session.tooling.previews.list() }),
  resolve_pending_action: resolvePendingAction,
  get_pending_file: (session, { path, actionId }) => session.readPendingFile(path, actionId),

  set_todos: (session, { phases }) => ({ todoPhases: session.todos.set(phases) }),
  compact: (session, { customInstructions }) => session.lifecycle.compact(customInstructions),
  set_auto_compaction(session, { enabled }) {
    session.compaction.enabled = enabled;
  },
  set_auto_retry({ retry }, { enabled }) {
    retry.enabled = enabled;
  },
  abort_retry(session, _params, call) {
    const ended = session.lifecycle.abortRetry();
    call.answer(); // the next prompt waits for the end of the run, so the host need not
    return ended;
  },
  async export_html(session, { outputPath, redact = true }, { connection }) {
    // Loaded with the first page, because it contains the whole page.
    const { exportHtml } = await import("../../../export/export-html.ts");
    return exportHtml({
      source: { manager: session.manager },
      cwd: session.cwd,
      ...(outputPath !== undefined && { outputPath }),
      redact,
      secrets: redact ? session.modelState.knownSecrets() : [],
      version: connection.version,
      systemPrompt: session.systemPrompt.text,
      tools: session.tooling.view.active,
    }).catch((error: unknown) => {
      // The system refuses the file, or no file can have this name, so report it to the host.
      throw isSystemError(error) || isBadName(error) ? new SessionError("invalid_request", error.message) : error;
    });
  },

  get_checkpoints: (session, { limit }) => session.undo.checkpoints(limit),
  get_changes: (session, query) => session.undo.changes(query),
  rewind_files: (session, request) => session.undo.rewind(request),
  redo_files: (session, request) => session.undo.redo(request),

  bash(session, { command, excludeFromContext }, call) {
    if (call.isAborted("bash")) return CANCELLED_BASH;
    const onOutput = call.connection.streamsBash() ? call.sendOutput : undefined;
    return session.processes.runBash({ command, excludeFromContext, onOutput });
  },
  abort_bash(session, _params, call) {
    call.abortEarlier("bash");
    session.processes.abortBash();
  },
  get_async_jobs: ({ jobs }, { all }) => ({ jobs: jobs.list({ all }) }),
  async get_async_job_output({ jobs }, { jobId, fromByte = 0, maxBytes = DEFAULT_OUTPUT_BYTES }) {
    return { jobId, ...(await jobs.read(jobId, fromByte, maxBytes)) };
  },
  cancel_async_job: async ({ jobs }, { jobId }) => ({ job: await jobs.cancel(jobId, { isByHost: true }) }),
  background_tool_call: ({ jobs }, { toolCallId }) => ({ jobIds: jobs.promote(toolCallId) }),
  ...subagentHandlers,
  get_mcp_status: async (session) => ({ servers: await session.mcp.status() }),
  async set_mcp_servers({ mcp }, { servers }) {
    await mcp.setHostServers(servers);
    return { servers: await mcp.status() };
  },
  async reload_mcp({ mcp }) {
    await mcp.reload();
    return { servers: await mcp.status() };
  },
  async get_available_commands({ prompting, commands }, { whenLoaded }) {
    if (whenLoaded) await prompting.commandsLoaded();
    return { commands: (await commands.list()).map(toAvailableCommand) };
  },
  get_commands: async (session) => ({
    commands: (await session.commands.list()).flatMap((command) => toPiCommand(command) ?? []),
  }),
  ...ompOnlyHandlers,
};

const secondNames = Object.entries(commands as Record<string, CommandRow>).flatMap(([name, { aliasOf }]) =>
  aliasOf === undefined ? [] : [[name, firstNames[aliasOf as keyof typeof firstNames]] as const],
);
/** By command; a second name has the handler of the first. */
export const handlers = { ...firstNames, ...Object.fromEntries(secondNames) } as { [N in CommandName]: Handler<N> };

/** How much output of a job a response has by default. */
const DEFAULT_OUTPUT_BYTES = 64 * 1024;

/** The name that clients of pi use. */
const DISPOSITIONS: Record<PromptOutcome, string> = {
  run: "started",
  queued: "queued",
  handled: "handled",
  expired: "handled",
};

/** The result of a prompt with its own schema that no model received. */
const NO_OUTPUT: PromptEnding = {
  status: "error",
  error: { message: "The message was handled without the model, so there is no output", retryable: false },
};

type SentPrompt = Omit<PromptInput, "output"> & { outputSchema: Params<"prompt">["outputSchema"] | undefined };

/** Validates a schema before the prompt is accepted, so that the response describes its mistakes. */
function prompt(
  session: AgentSession,
  { outputSchema, ...input }: SentPrompt,
  call: CommandCall,
): void | Promise<void> {
  const begin = (output?: PromptInput["output"]) =>
    beginRun(
      session,
      call,
      (options) => session.prompting.submit({ ...input, output, source: "rpc", ...options }),
      !!output,
    );
  if (outputSchema === undefined) return begin();
  if (outputSchema === false) return begin(false);
  return readOutputSchema(outputSchema).then(begin);
}

function beginRun(
  session: AgentSession,
  call: CommandCall,
  submit: (options: Pick<PromptInput, "onAccepted" | "after">) => Submission,
  hasOutput = false,
): void | Promise<void> {
  const isLate = call.connection.promptAnswer === "after-preflight";
  const onAccepted = (outcome: PromptOutcome) => {
    if (outcome !== "handled") call.joinRun();
    if (isLate) call.answer({ disposition: DISPOSITIONS[outcome] });
  };
  const follow = async ({ started, finished }: Submission) => {
    const outcome = await started;
    if (outcome === "handled") call.endWithoutRun(hasOutput ? NO_OUTPUT : { status: "completed" });
    const expired = outcome === "expired" ? await finished : undefined;
    if (expired) call.endWithoutRun(expired);
    // For a queued prompt, this is the end of the run or the failure to start one.
    if (outcome === "queued") void finished.then(call.leaveRun, call.leaveRun);
  };
  const ended = call.isAborted("runs")
    ? Promise.reject(new SessionError("cancelled", ABORTED_TEXT))
    : follow(submit({ onAccepted, after: outputOfEarlierBash(session, call.earlierBash()) }));
  if (isLate) return ended;
  call.failLate(ended);
}

async function resolvePendingAction(
  session: AgentSession,
  { action, ...choice }: Params<"resolve_pending_action">,
): Promise<Result<"resolve_pending_action">> {
  const decided = await session.resolvePendingAction(action, choice);
  return {
    actionId: decided.action.id,
    action,
    text: decided.text,
    isError: decided.result.isError === true,
    ...(decided.result.details !== undefined && { details: decided.result.details }),
    ...decided.parts,
  };
}

function branch(session: AgentSession, { entryId, ...move }: Params<"branch">): Promise<Result<"branch">> {
  return session.changes.branch(entryId, move);
}

async function moveLeaf(
  session: AgentSession,
  { entryId, summarize, files, onConflict }: Params<"move_leaf">,
): Promise<Result<"move_leaf">> {
  try {
    const options = { ...(summarize !== undefined && { summarize }), files, onConflict };
    const { leafId, text, files: rewound } = await session.lifecycle.navigateTree(entryId, options);
    return { cancelled: false, leafId, ...(text !== undefined && { text }), ...(rewound && { files: rewound }) };
  } catch (error) {
    if (!(error instanceof SessionError) || error.code !== "cancelled") throw error;
    return { cancelled: true, leafId: session.manager.leafId };
  }
}

function checkedRules(rules: unknown): PermissionRule[] {
  try {
    return readRules(rules);
  } catch (error) {
    throw new SessionError("invalid_request", errorText(error));
  }
}
