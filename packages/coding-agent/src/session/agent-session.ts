import type { AgentMessage, CustomMessage, MessageQueue } from "@pintle/agent";
import { type Model, onAbort, type ThinkingLevel, withoutTurning } from "@pintle/ai";
import type { LazySandbox } from "@pintle/exec";
import type { SessionManager } from "@pintle/storage";
import type { ContextUsage, SessionStats } from "@pintle/wire";
import type { Settings } from "../config/settings/settings.ts";
import type { SettingValue } from "../config/settings/settings-schema.ts";
import type { BackgroundJobs } from "../jobs/background-jobs.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { Resolution, Verdict } from "../previews/pending-action.ts";
import type { Subagents } from "../subagents/subagents.ts";
import type { RunTrace } from "../traces/run-trace.ts";
import { type AgentSessionParts, assembleSession, type SessionOwners } from "./assemble-session.ts";
import type { AttachedHost, SessionHost } from "./attached-host.ts";
import type { SessionChanges } from "./changes/session-changes.ts";
import type { SessionHandover } from "./changes/session-handover.ts";
import type { SessionLifecycle } from "./changes/session-lifecycle.ts";
import type { StoredSessions } from "./changes/stored-sessions.ts";
import { contextUsage } from "./conversation/context-usage.ts";
import type { EventScope, SessionEmitter, SessionListener } from "./conversation/event-emitter.ts";
import { lastAssistantText } from "./conversation/last-assistant-text.ts";
import type { OpenConversation } from "./conversation/open-conversation.ts";
import { countSession } from "./conversation/session-stats.ts";
import type { ModelControl } from "./models/model-control.ts";
import type { ModelState } from "./models/model-state.ts";
import { readOutputSchema } from "./output/output-schemas.ts";
import type { AutoRetry } from "./policies/auto-retry.ts";
import type { BudgetPolicy } from "./policies/budget-policy.ts";
import type { OutputPolicy } from "./policies/output-policy.ts";
import type { PermissionsPolicy } from "./policies/permissions-policy.ts";
import type { SessionCompaction } from "./policies/session-compaction.ts";
import type { SessionTodos } from "./policies/session-todos.ts";
import type { SessionProcesses } from "./processes/session-processes.ts";
import type { PromptInput, Prompting } from "./prompting/prompting.ts";
import type { SessionCommands } from "./prompting/session-commands.ts";
import type { SessionSystemPrompt } from "./prompting/system-prompt.ts";
import type { RunResult, RunResults } from "./results/run-results.ts";
import type { Consent } from "./runs/consent.ts";
import type { Interruptions } from "./runs/interruption.ts";
import { LeaseClock } from "./runs/lease-clock.ts";
import type { RunController } from "./runs/run-controller.ts";
import type { SessionHooks } from "./session-hooks.ts";
import type { Completions } from "./tools/completions.ts";
import { decideForHost, type HostChoice, readProposedText } from "./tools/decide-for-host.ts";
import type { SessionTools } from "./tools/session-tools.ts";
import type { SessionUndo } from "./undo/session-undo.ts";

export type { AgentSessionParts } from "./assemble-session.ts";

export interface PromptControl {
  signal?: AbortSignal;
  /** JSON Schema of the output; `false` means no schema, even if the session has a default one. */
  outputSchema?: object | false | undefined;
}

/** A session: the objects that own its state, and the few methods that need several of them. Every mode drives it. */
export class AgentSession {
  readonly settings: Settings;
  readonly events: SessionEmitter;
  /** The program that drives the session. */
  readonly host: AttachedHost;
  /** The open conversation: its storage and directory. */
  readonly conversation: OpenConversation;
  readonly queue: MessageQueue;
  /** Starts runs, and queues messages for the active one. */
  readonly prompting: Prompting;
  readonly runs: RunController;
  /** Results of runs. */
  readonly results: Pick<RunResults, "last" | "without">;
  /** Where the last run stopped. */
  readonly interruptions: Interruptions;
  /** Opens other conversations in this session. */
  readonly changes: SessionChanges;
  /** Notifies listeners when another conversation is opened. */
  readonly handover: SessionHandover;
  /** Aborts, compacts, navigates and ends. */
  readonly lifecycle: SessionLifecycle;
  /** Renames, lists, deletes and restores stored sessions. */
  readonly stored: StoredSessions;
  readonly commands: SessionCommands;
  /** Knows whether project code and settings may take effect. */
  readonly consent: Consent;
  readonly resources: SessionOwners["resources"];
  readonly systemPrompt: SessionSystemPrompt;
  /** Sets the model and the thinking level. */
  readonly models: ModelControl;
  readonly modelState: ModelState;
  readonly tooling: SessionTools;
  /** Decides what tool calls may do. */
  readonly permissions: PermissionsPolicy;
  readonly sandbox: LazySandbox;
  readonly budget: BudgetPolicy;
  readonly compaction: SessionCompaction;
  readonly retry: AutoRetry;
  readonly output: OutputPolicy;
  readonly todos: SessionTodos;
  /** Runs the user's commands. */
  readonly processes: SessionProcesses;
  /** Commands that run in the background. */
  readonly jobs: BackgroundJobs;
  readonly subagents: Subagents;
  readonly mcp: McpServers;
  readonly completions: Completions;
  /** Changes of files, and taking them back. */
  readonly undo: SessionUndo;
  /** The trace that the active run belongs to. */
  readonly trace: RunTrace;
  /** Ends the work of a session that several processes share if the gateway does not confirm the lease in time. */
  readonly lease = new LeaseClock(() => this.#leaseExpired());
  readonly #owners: SessionOwners;

  constructor(parts: AgentSessionParts) {
    const owners = assembleSession(parts);
    this.#owners = owners;
    this.settings = parts.settings;
    this.events = parts.events;
    this.host = parts.host;
    this.conversation = parts.conversation;
    this.queue = owners.agent.queue;
    this.prompting = owners.prompting;
    this.runs = owners.runs;
    this.results = owners.results;
    this.interruptions = owners.interruptions;
    this.changes = owners.changes;
    this.handover = owners.handover;
    this.lifecycle = owners.lifecycle;
    this.stored = owners.stored;
    this.commands = owners.commands;
    this.consent = owners.consent;
    this.resources = owners.resources;
    this.systemPrompt = owners.systemPrompt;
    this.models = owners.models;
    this.modelState = parts.models;
    this.tooling = owners.tooling;
    this.permissions = owners.permissions;
    this.sandbox = parts.sandbox;
    this.budget = owners.budget;
    this.compaction = owners.compaction;
    this.retry = owners.retry;
    this.output = owners.output;
    this.todos = owners.todos;
    this.processes = owners.processes;
    this.jobs = owners.jobs;
    this.subagents = owners.subagents;
    this.mcp = parts.mcp;
    this.completions = owners.completions;
    this.undo = owners.undo;
    this.trace = parts.trace;
  }

  /** Subscribes to events. Returns the function that unsubscribes. */
  subscribe(listener: SessionListener, scope: EventScope = {}): () => void {
    return this.events.subscribe(listener, scope);
  }

  /**
   * Attaches the program that answers the session's questions and replaces the previous one. Returns the function that
   * detaches it.
   */
  attachHost(host: SessionHost): () => void {
    return this.host.attach(host);
  }

  /** Connects the hooks of extensions to the session. */
  useHooks(hooks: SessionHooks): void {
    this.#owners.extensions.attach(hooks);
    this.resources.discoverWith((reason) => hooks.resources(reason));
    this.subscribe((event) => hooks.observe(event));
  }

  /**
   * Resolves when the run is over: with its result, or undefined if no model was asked. Rejects while another run is active,
   * unless the message is queued.
   */
  async prompt(
    text: string,
    { signal, outputSchema, ...options }: Omit<PromptInput, "text" | "output"> & PromptControl = {},
  ): Promise<RunResult | undefined> {
    signal?.throwIfAborted();
    const output = outputSchema ? await readOutputSchema(outputSchema) : outputSchema;
    signal?.throwIfAborted();
    const { finished } = this.prompting.submit({ text, output, ...options });
    const forget = onAbort(signal, () => void this.abort()); // does not reject
    try {
      return await finished;
    } finally {
      forget();
    }
  }

  /** Applies or discards a staged change on behalf of the host: the newest, or the one that `choice` names. */
  resolvePendingAction(verdict: Verdict, choice: HostChoice = {}): Promise<Resolution> {
    const { tooling, held, now, undo } = this.#owners;
    const parts = { previews: tooling.previews, append: (message: CustomMessage) => held.add(message), now };
    return undo.aroundPreview(() => decideForHost(parts, verdict, choice));
  }

  /** Returns the text that a staged change proposes for one of its files. */
  readPendingFile(path: string, actionId?: string): Promise<{ actionId: string; path: string; content: string }> {
    return readProposedText(this.#owners.tooling.previews, path, actionId);
  }

  /** Resolves when the session is idle; immediately if it is. */
  abort(options?: { endsJobs?: boolean }): Promise<void> {
    return this.lifecycle.abort(options);
  }

  /** Waits for a change that is in progress and closes the open conversation. Rejects if not everything was stored. */
  dispose(): Promise<void> {
    return this.lifecycle.dispose();
  }

  get isStreaming(): boolean {
    return this.#owners.agent.isRunning;
  }

  /** True if no run is active, nothing is left to do for the last one, and no background job is pending. */
  get isSettled(): boolean {
    return !this.isStreaming && !this.compaction.isCompacting && !this.jobs.isPending;
  }

  /** Finished messages in context order. */
  get messages(): readonly AgentMessage[] {
    return this.#owners.agent.messages;
  }

  get model(): Model {
    return this.modelState.current;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.modelState.thinkingLevel;
  }

  /** The open conversation, read-only; only the session writes its entries. */
  get manager(): SessionManager {
    return this.conversation.manager;
  }

  get cwd(): string {
    return this.conversation.cwd;
  }

  get sessionId(): string {
    return this.manager.sessionId;
  }

  get sessionFile(): string | undefined {
    return this.manager.sessionFile;
  }

  get sessionName(): string | undefined {
    const { name } = this.manager; // read from the file, which other programs may write
    return name === undefined ? undefined : withoutTurning(name);
  }

  /** Returns the text of the newest answer, or undefined if there is none. */
  getLastAssistantText(): string | undefined {
    return lastAssistantText(this.messages);
  }

  getContextUsage(): ContextUsage | undefined {
    return contextUsage(this.messages, {
      model: this.model,
      overheadTokens: () => this.systemPrompt.overheadTokens(),
    });
  }

  getSessionStats(): SessionStats {
    const usage = this.getContextUsage();
    const budget = this.budget.state;
    const subagents = this.subagents.stats;
    return {
      ...(this.sessionFile !== undefined && { sessionFile: this.sessionFile }),
      sessionId: this.sessionId,
      ...countSession(this.messages, this.manager.path()),
      cacheBreaks: this.#owners.guard.breaks,
      ...(usage && { contextUsage: usage }),
      ...(budget && { budget }),
      ...(subagents && { subagents }),
    };
  }

  /** Changes the mode for this session only; the user's settings stay unchanged. */
  setSandboxMode(mode: SettingValue<"sandbox.mode">): void {
    const before = this.sandbox.mode;
    this.settings.override("sandbox.mode", mode);
    if (this.sandbox.mode !== before) this.events.emit({ type: "sandbox_status", sandbox: this.sandbox.status });
  }

  #leaseExpired(): void {
    this.processes.abortBash();
    if (!this.isStreaming) return;
    const message = "The lease of the session was not confirmed in time, so its run is aborted";
    this.events.emit({ type: "notice", level: "error", message, source: "session" });
    void this.abort(); // does not reject
  }
}
