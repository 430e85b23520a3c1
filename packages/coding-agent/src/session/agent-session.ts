import type { AgentMessage, InterruptMode, MessageQueue, Tool } from "@pintle/agent";
import { type Model, onAbort, type ThinkingLevel, withoutTurning } from "@pintle/ai";
import type {
  AgentSessionEvent,
  BashResult,
  CompactionResult,
  ContextUsage,
  Interruption,
  PendingActionInfo,
  SandboxStatus,
  SessionStats,
  TodoPhase,
} from "@pintle/wire";
import type { NavigateOptions, Navigation } from "../compaction/tree-navigation.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { SettingValue } from "../config/settings/settings-schema.ts";
import type { AskLogin } from "../mcp/login/login-request.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import type { Resolution, Verdict } from "../previews/pending-action.ts";
import type { CheckedOutputSchema } from "../schemas/output-schema.ts";
import type { SessionPage, SessionQuery } from "../storage/listing/session-page.ts";
import { SessionError } from "../storage/session-error.ts";
import type { SessionManager } from "../storage/session-manager.ts";
import type { SessionDialogs } from "../tools/session-dialogs.ts";
import type { RunTrace } from "../traces/run-trace.ts";
import type { TrustAsker } from "../trust/ask-for-trust.ts";
import { type AgentSessionParts, assembleSession, type SessionOwners } from "./assemble-session.ts";
import type { NewSessionRequest } from "./changes/session-changes.ts";
import type { ChangeListener } from "./changes/session-handover.ts";
import type { StoredSessions } from "./changes/stored-sessions.ts";
import { contextUsage } from "./conversation/context-usage.ts";
import type { EventReader, Hearing, SessionListener } from "./conversation/event-emitter.ts";
import { lastAssistantText } from "./conversation/last-assistant-text.ts";
import { countSession } from "./conversation/session-stats.ts";
import type { ModelControl } from "./models/model-control.ts";
import type { ScopedModel } from "./models/model-state.ts";
import { readOutputSchema } from "./output/output-schemas.ts";
import type { BudgetPolicy } from "./policies/budget-policy.ts";
import type { PermissionsPolicy } from "./policies/permissions-policy.ts";
import type { BashRequest } from "./processes/bash-runner.ts";
import { type LostPrompts, missingPrompts } from "./prompting/lost-prompts.ts";
import type { CustomMessageOptions, PromptInput } from "./prompting/prompting.ts";
import type { SessionCommands } from "./prompting/session-commands.ts";
import type { RunResult, RunResults } from "./results/run-results.ts";
import { promptOf } from "./runs/interruption.ts";
import { LeaseClock } from "./runs/lease-clock.ts";
import type { Submission } from "./runs/run-controller.ts";
import type { CustomMessageInput, SessionHooks } from "./session-hooks.ts";
import type { HostChoice } from "./tools/attached-host.ts";
import type { LazyCompletion } from "./tools/lazy-completion.ts";
import type { SessionTools } from "./tools/session-tools.ts";
import type { ToolRegistry } from "./tools/tool-registry.ts";

export type { AgentSessionParts } from "./assemble-session.ts";
export type { ChangeListener } from "./changes/session-handover.ts";
export type { EventReader } from "./conversation/event-emitter.ts";

export interface PromptControl {
  signal?: AbortSignal;
  /** JSON Schema of the output; `false`: none, although there is a default. */
  outputSchema?: object | false | undefined;
}

/** What every mode drives: a short face over the owners of the session's state. */
export class AgentSession {
  readonly #parts: AgentSessionParts;
  readonly #owners: SessionOwners;
  /** Leads a person to a login at an MCP server and back; a mode that reaches one puts its own here. */
  askLogin: AskLogin = async () => undefined;
  /** Of a session that several processes may have, one at a time. */
  readonly lease = new LeaseClock(() => this.#leaseExpired());

  constructor(parts: AgentSessionParts) {
    this.#parts = parts;
    this.#owners = assembleSession(parts);
    this.#serveMcp();
  }

  /** MCP servers work for this session from now on. */
  #serveMcp(): void {
    const { conversation, tooling, runs } = this.#owners;
    const notify = (level: "info" | "warning", message: string) =>
      this.emit({ type: "notice", level, message, source: "mcp" });
    this.mcp.attach({
      cwd: () => conversation.cwd,
      offer: (tools) => tooling.setMcp(tools),
      warn: (message) => notify("warning", message),
      status: (server) => this.emit({ type: "mcp_status", server }),
      commandsChanged: () => this.commands.serversChanged(),
      newSpillPath: (tool) => tooling.newSpillPath(tool),
      takesImages: () => this.model.input.includes("image"),
      traceOf: (toolCallId) => this.trace.headersOf(toolCallId),
      askLogin: (request) => this.askLogin(request),
      person: {
        dialogs: () => tooling.reachableDialogs,
        runSignal: () => runs.signal,
        inform: (message) => notify("info", message),
      },
      askConsentAgain: () => this.askConsentAgain(),
    });
  }

  /** Session only, like the modes of the queue; the user's settings stay as they are. */
  get interruptMode(): InterruptMode {
    return this.#owners.delivery.interruptMode;
  }

  set interruptMode(mode: InterruptMode) {
    this.#owners.delivery.interruptMode = mode;
  }

  subscribe(listener: SessionListener, options: Hearing = {}): () => void {
    return this.#owners.events.subscribe(listener, options);
  }

  emit(event: AgentSessionEvent): void {
    this.#owners.emit(event);
  }

  /** The extensions of this session take part from now on. */
  useHooks(hooks: SessionHooks): void {
    this.#owners.extensions.attach(hooks);
    this.#owners.resources.discoverWith((reason) => hooks.resources(reason));
    this.subscribe((event) => hooks.observe(event));
  }

  /** Told after each change of the open session and, waited for, before the end. */
  onChange(listener: ChangeListener): void {
    this.#owners.handover.onChange(listener);
  }

  /** What reads the events outside of this process. */
  setReader(reader: EventReader): void {
    this.#owners.events.setReader(reader);
  }

  /** Which trace the active run belongs to. */
  get trace(): RunTrace {
    return this.#owners.trace;
  }

  get isStreaming(): boolean {
    return this.#owners.agent.isRunning;
  }

  get isCompacting(): boolean {
    return this.#owners.compaction.isCompacting;
  }

  /** There is no run, and nothing left to do for the last one. */
  get isSettled(): boolean {
    return !this.isStreaming && !this.isCompacting;
  }

  /** Commands that have ended and left something running. */
  get backgroundProcesses(): number {
    return this.#owners.processes.leftBehind;
  }

  /** Whether it happens by itself, in this session. */
  get isAutoCompacting(): boolean {
    return this.#owners.compaction.enabled;
  }

  set isAutoCompacting(isEnabled: boolean) {
    this.#owners.compaction.enabled = isEnabled;
  }

  /** Ends a run, which is not resumed, and replaces older messages by a summary. */
  compact(customInstructions?: string): Promise<CompactionResult> {
    return this.#owners.lifecycle.compact(customInstructions);
  }

  /** Finished messages in context order. */
  get messages(): readonly AgentMessage[] {
    return this.#owners.agent.messages;
  }

  get queue(): MessageQueue {
    return this.#owners.agent.queue;
  }

  get settings(): Settings {
    return this.#parts.settings;
  }

  knownSecrets(): string[] {
    return this.#parts.models.knownSecrets();
  }

  /** Where commands run; the strength as far as it is known. */
  get sandbox(): SandboxStatus {
    return this.#parts.sandbox.status;
  }

  /** Whether commands are confined and the strength of the sandbox has not been probed yet. */
  get isSandboxUnknown(): boolean {
    return this.#parts.sandbox.isUnknown;
  }

  /** Finds out how strong the sandbox is, once. Does not reject. */
  async probeSandbox(): Promise<void> {
    await this.#parts.sandbox.probe();
  }

  /** Changes the mode for this session only; the user's settings stay as they are. */
  setSandboxMode(mode: SettingValue<"sandbox.mode">): void {
    const before = this.sandbox.mode;
    this.settings.override("sandbox.mode", mode);
    if (this.sandbox.mode !== before) this.emit({ type: "sandbox_status", sandbox: this.sandbox });
  }

  get mcp(): McpServers {
    return this.#parts.mcp;
  }

  get tooling(): SessionTools {
    return this.#owners.tooling;
  }

  /** What the model is offered. */
  get tools(): readonly Tool[] {
    return this.tooling.active();
  }

  get toolRegistry(): ToolRegistry {
    return this.tooling.registry;
  }

  /** Staged changes, the newest first. */
  get pendingActions(): PendingActionInfo[] {
    return this.tooling.previews.list();
  }

  get model(): Model {
    return this.#parts.models.current;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#parts.models.thinkingLevel;
  }

  /** The open conversation, for reading; its entries are written by the session alone. */
  get manager(): SessionManager {
    return this.#owners.conversation.manager;
  }

  /** Sessions stored in the same place, in any directory, including itself. */
  listSessions(query: SessionQuery): Promise<SessionPage> {
    return this.#parts.store.page(query);
  }

  /** Changes to stored sessions that need not be open. */
  get storedSessions(): StoredSessions {
    return this.#owners.stored;
  }

  /** For what a person types: files and directories of the session's directory, of a place that the query names, or resources. */
  async completePath(query: string, limit = 20): ReturnType<LazyCompletion["complete"]> {
    const resources = await this.mcp.loaded?.complete(query, limit);
    return resources ? { paths: resources, isComplete: true } : this.#owners.completion.complete(query, limit);
  }

  get sessionId(): string {
    return this.manager.sessionId;
  }

  get sessionFile(): string | undefined {
    return this.manager.sessionFile;
  }

  get sessionName(): string | undefined {
    const { name } = this.manager; // of a file that others may have written
    return name === undefined ? undefined : withoutTurning(name);
  }

  get cwd(): string {
    return this.#owners.conversation.cwd;
  }

  get hasSystemPrompt(): boolean {
    return this.#owners.systemPrompt.isBuilt;
  }

  /** Builds it if that was not done yet. */
  loadSystemPrompt(): Promise<string> {
    return this.#owners.systemPrompt.load();
  }

  /** Context files, skills and templates are looked for again when they are needed next. */
  forgetResources(): void {
    this.#owners.resources.forget();
  }

  get commands(): SessionCommands {
    return this.#owners.commands;
  }

  /** Runs wait for the answer. */
  askConsent(asker: TrustAsker): void {
    this.#owners.consent.askOf(asker);
  }

  /** What the project brings may have changed: the same asker is asked about it, or else told what waits. */
  askConsentAgain(): void {
    this.#owners.consent.askAgain();
  }

  get scopedModels(): readonly ScopedModel[] {
    return this.#parts.models.scope;
  }

  get systemPrompt(): string {
    return this.#owners.systemPrompt.text;
  }

  /**
   * Accepts a prompt. The run is claimed before this returns (a second prompt is refused), and the run itself starts after
   * the caller's current job, so an acknowledgement written right after it comes first.
   */
  submit(input: PromptInput): Submission {
    return this.#owners.prompting.submit(input);
  }

  /** Continues an interrupted run. Throws if there is nothing to continue. */
  continueRun(options: Pick<PromptInput, "onAccepted" | "after" | "trace"> = {}): Submission {
    return this.#owners.prompting.continueRun(options);
  }

  /** Appends prompts that an earlier process accepted and did not store. Returns the ids of their entries. */
  storePrompts(lost: LostPrompts): string[] {
    if (this.isStreaming)
      throw new SessionError("busy", "Prompts of an earlier process are stored before the next run");
    const { manager } = this;
    return missingPrompts(manager, lost).map((prompt) => {
      this.#owners.prompting.store(prompt);
      return manager.entries().at(-1)?.id ?? "";
    });
  }

  /** Where the last run stopped before its work was done. undefined while one is active. */
  get interruption(): Interruption | undefined {
    const found = this.isStreaming ? undefined : this.#owners.interruption();
    const prompt = found && promptOf(this.messages);
    const promptEntryId = prompt && this.manager.entryIdOf(prompt);
    return found && { ...found, ...(promptEntryId !== undefined && { promptEntryId }) };
  }

  /** Tells the host where the session that was opened at the start had stopped. */
  tellInterruption(): void {
    this.#owners.handover.tellInterruption();
  }

  /**
   * For the next turn boundary; without a run it is sent with the next one. Queued when this returns or, for a message
   * that has to be resolved, when it resolves; always in the order of the calls.
   */
  steer(input: PromptInput): void | Promise<void> {
    return this.#owners.prompting.steer(input);
  }

  /** For the moment when the run would otherwise end. */
  followUp(input: PromptInput): void | Promise<void> {
    return this.#owners.prompting.followUp(input);
  }

  /** A message that is neither the user's nor the model's. */
  sendCustomMessage(message: CustomMessageInput, options: CustomMessageOptions = {}): Promise<void> {
    return this.#owners.prompting.sendCustom(message, options);
  }

  /** Returns the messages that will not be delivered. */
  clearQueue(): { steering: string[]; followUp: string[] } {
    const texts = { steering: this.queue.texts("steering"), followUp: this.queue.texts("followUp") };
    this.queue.clear("steering", "followUp");
    return texts;
  }

  /** Takes one queued message back and gives its text. */
  removeQueued(queueId: string): { queue: "steering" | "followUp"; text: string } {
    const removed = this.queue.remove(queueId);
    if (!removed) throw new SessionError("not_found", `No such message waits: ${queueId}`);
    return removed;
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
    const { finished } = this.submit({ text, output, ...options });
    const forget = onAbort(signal, () => void this.abort()); // does not reject
    try {
      return await finished;
    } finally {
      forget();
    }
  }

  /** The output that prompts without their own schema have to return; undefined for none. */
  get outputSchema(): object | undefined {
    return this.#owners.output.default?.schema;
  }

  /** Throws SessionError when it is no schema that outputs can be checked against. */
  async setOutputSchema(schema: unknown): Promise<void> {
    this.useOutputSchema(schema === undefined ? undefined : await readOutputSchema(schema, "schema"));
  }

  useOutputSchema(schema: CheckedOutputSchema | undefined): void {
    this.#owners.output.default = schema;
  }

  /** What runs return. */
  get results(): Pick<RunResults, "last" | "without"> {
    return this.#owners.results;
  }

  /** Resolves when the session is idle; at once when it is. */
  abort(): Promise<void> {
    return this.#owners.lifecycle.abort();
  }

  /** What tool calls may do, and who is asked. */
  get permissions(): PermissionsPolicy {
    return this.#owners.permissions;
  }

  /** What runs may use, and who may raise it. */
  get budget(): BudgetPolicy {
    return this.#owners.budget;
  }

  get todoPhases(): TodoPhase[] {
    return this.#owners.todos.store.phases;
  }

  /** Gives the list as it is then. */
  setTodos(phases: unknown): TodoPhase[] {
    return this.#owners.todos.set(phases);
  }

  /** For this session only. */
  setAutoRetry(isEnabled: boolean): void {
    this.#owners.retry.enabled = isEnabled;
  }

  /** Ends the wait before the next attempt, and with it the run; resolves when that has ended. */
  abortRetry(): Promise<void> | undefined {
    return this.#owners.retry.abort() ? this.#owners.agent.idle() : undefined;
  }

  /** The host can answer questions; undefined if it is gone. */
  attachHost(dialogs: SessionDialogs | undefined): void {
    this.#owners.host.attach(dialogs);
  }

  /** What the host said it wants to be asked. */
  declareHost(wishes: { answersQuestions: boolean; decidesPreviews: boolean }): void {
    this.#owners.host.declare(wishes);
  }

  /** Who decides on previews: the model, or the host it is embedded in. */
  get previewDecider(): "model" | "host" {
    return this.tooling.previews.decider;
  }

  /** Decides on a staged change in the place of the model: the newest, or the one named. */
  resolvePendingAction(verdict: Verdict, choice: HostChoice = {}): Promise<Resolution> {
    return this.#owners.host.resolvePendingAction(verdict, choice);
  }

  /** These four give true when an extension did not want it; then nothing has changed. */
  newSession(request: NewSessionRequest = {}): Promise<boolean> {
    return this.#owners.changes.newSession(request);
  }

  /** Opens the newest session of a directory, or a new one there. */
  async openDirectory(
    directory: string,
  ): Promise<{ cancelled: boolean; resumed: boolean; sessionId: string; sessionFile?: string }> {
    const outcome = await this.#owners.changes.openDirectory(directory);
    const { sessionId, sessionFile } = this;
    return { ...outcome, sessionId, ...(sessionFile !== undefined && { sessionFile }) };
  }

  switchSession(path: string): Promise<boolean> {
    return this.#owners.changes.switchSession(path);
  }

  /** Gives the text of the message the new session ends before. */
  branch(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    return this.#owners.changes.branch(entryId);
  }

  /** The new session ends with that entry, or with the last one. */
  clone(entryId?: string): Promise<boolean> {
    return this.#owners.changes.clone(entryId);
  }

  /** Continues from another entry of the session's tree. A run is ended first. */
  navigateTree(entryId: string, options: NavigateOptions = {}): Promise<Navigation> {
    return this.#owners.lifecycle.navigateTree(entryId, options);
  }

  /** Resolves when there is nothing left to do for any prompt so far. */
  waitForIdle(): Promise<void> {
    return this.#owners.runs.settled();
  }

  /** Of the run that is active. */
  get runSignal(): AbortSignal | undefined {
    return this.#owners.runs.signal;
  }

  setSessionName(name: string): void {
    this.manager.setName(name);
    this.#owners.conversation.announce();
  }

  /** Runs a user's command alongside the agent. Its output joins the session in which it was started. */
  executeBash(command: string, options: Omit<BashRequest, "command"> = {}): Promise<BashResult> {
    const startedIn = this.manager;
    return this.#owners.processes.runBash({ command, ...options }, (message) => {
      if (this.manager === startedIn) this.#owners.held.add(message);
      // Does not reject: it warns.
      else void this.#owners.conversation.appendTo(startedIn, message);
    });
  }

  #leaseExpired(): void {
    this.abortBash();
    if (!this.isStreaming) return;
    const message = "The lease of the session was not confirmed in time: its run is aborted";
    this.emit({ type: "notice", level: "error", message, source: "session" });
    void this.abort(); // does not reject
  }

  abortBash(): void {
    this.#owners.processes.abortBash();
  }

  /** Looks for it on local servers when it is not known. */
  setModel(provider: string, modelId: string): Promise<Model> {
    return this.#owners.models.discoverAndSet(provider, modelId);
  }

  /** null: there is nothing to cycle through. */
  cycleModel(): ReturnType<ModelControl["cycle"]> {
    return this.#owners.models.cycle();
  }

  getAvailableModels(): Promise<Model[]> {
    return this.#owners.models.available();
  }

  hasProvider(id: string): boolean {
    return this.#parts.models.hasProvider(id);
  }

  /** Stores the key in `auth.json`. Undefined removes it. */
  changeApiKey(provider: string, key: string | undefined): Promise<void> {
    return this.#parts.models.changeKey(provider, key);
  }

  setThinkingLevel(level: ThinkingLevel): void {
    this.#owners.models.setLevel(level);
  }

  /** Undefined if the model cannot think. */
  cycleThinkingLevel(): ThinkingLevel | undefined {
    return this.#owners.models.cycleLevel();
  }

  getAvailableThinkingLevels(): ThinkingLevel[] {
    return this.#owners.models.levels();
  }

  /** Undefined if there is no answer, or none with text. */
  getLastAssistantText(): string | undefined {
    return lastAssistantText(this.messages);
  }

  getSessionStats(): SessionStats {
    const usage = this.getContextUsage();
    const budget = this.budget.state;
    return {
      ...(this.sessionFile !== undefined && { sessionFile: this.sessionFile }),
      sessionId: this.sessionId,
      ...countSession(this.messages, this.manager.path()),
      cacheBreaks: this.#owners.guard.breaks,
      ...(usage && { contextUsage: usage }),
      ...(budget && { budget }),
    };
  }

  getContextUsage(): ContextUsage | undefined {
    return contextUsage(this.messages, {
      model: this.model,
      overheadTokens: () => this.#owners.systemPrompt.overheadTokens(),
    });
  }

  /** A change under way is waited for, so that whatever is open in the end is closed. Rejects when not all was stored. */
  dispose(): Promise<void> {
    return this.#owners.lifecycle.dispose();
  }
}
