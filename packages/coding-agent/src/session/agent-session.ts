import {
  Agent,
  type AgentMessage,
  type Clock,
  type CustomMessage,
  type InterruptMode,
  type MessageQueue,
  type Tool,
} from "@pintle/agent";
import type { Model, StreamModel, ThinkingLevel } from "@pintle/ai";
import type { NavigateOptions, Navigation } from "../compaction/tree-navigation.ts";
import type { Settings } from "../config/settings.ts";
import type { PendingActionInfo, Resolution, Verdict } from "../previews/pending-action.ts";
import type { PreviewResolver } from "../previews/previews.ts";
import type { BashResult } from "../processes/bash-result.ts";
import type { LazyGateway } from "../processes/lazy-gateway.ts";
import type { PromptRules } from "../resources/rule-texts.ts";
import type { SessionResources } from "../resources/session-resources.ts";
import { type SlashCommand, toAvailableCommand } from "../resources/slash-commands.ts";
import type { TrustAsker } from "../trust/ask-for-trust.ts";
import { type ContextUsage, contextUsage } from "./context-usage.ts";
import { SessionEmitter, type SessionListener } from "./event-emitter.ts";
import { HeldMessages } from "./held-messages.ts";
import { lastAssistantText } from "./last-assistant-text.ts";
import { ModelControl } from "./model-control.ts";
import type { ModelState } from "./model-state.ts";
import { NO_HOOKS } from "./no-hooks.ts";
import { OpenConversation } from "./open-conversation.ts";
import { type CustomMessageOptions, type PromptInput, Prompting } from "./prompting.ts";
import { Recorder } from "./recorder.ts";
import { RequestOverhead } from "./request-overhead.ts";
import { RunController, type Submission } from "./run-controller.ts";
import { RunPolicies } from "./run-policies.ts";
import { type ChangeKind, SessionChanges } from "./session-changes.ts";
import { SessionCompaction } from "./session-compaction.ts";
import { NO_DIALOGS, type SessionDialogs } from "./session-dialogs.ts";
import { SessionError } from "./session-error.ts";
import type { AgentSessionEvent, CompactionResult, TodoPhase } from "./session-events.ts";
import { SessionGate } from "./session-gate.ts";
import type { CustomMessageInput, SessionHooks } from "./session-hooks.ts";
import { SessionProcesses } from "./session-processes.ts";
import { countSession, type SessionStats } from "./session-stats.ts";
import { SessionTodos } from "./session-todos.ts";
import { SessionTools } from "./session-tools.ts";
import type { SessionManager } from "./storage/session-manager.ts";
import type { SessionStore } from "./storage/session-store.ts";
import type { ToolRegistry, ToolSelection } from "./tool-registry.ts";

export interface SessionChange {
  kind: ChangeKind | "shutdown";
  previousSessionFile?: string | undefined;
}

/** Must not throw. */
export type ChangeListener = (change: SessionChange) => void | Promise<void>;

export interface AgentSessionParts {
  /** Where relative paths start; the session's own directory may be another. */
  cwd: string;
  store: SessionStore;
  manager: SessionManager;
  models: ModelState;
  settings: Settings;
  /** For a working directory; asked again when that changes. */
  resources: SessionResources;
  /** Asks whether the project may act; resolves when what was agreed to is loaded. */
  askConsent?(asker: TrustAsker, signal: AbortSignal): Promise<void>;
  /** The session works in another directory now: whether that one may act is another question. */
  enterDirectory?(cwd: string): Promise<void>;
  /** pintle's own directory. */
  home: string;
  gateway: LazyGateway;
  /** Of the program that embeds the session. */
  tools: readonly Tool[];
  toolSelection?: ToolSelection;
  /** False: no rule watches what the model writes. */
  hasRules?: boolean;
  /** Decides on previews in this process. */
  resolvePreview?: PreviewResolver;
  stream: StreamModel;
  clock: Clock;
}

const SESSION_CHANGED_TEXT = "Session changed before the action was resolved.";
const DRAIN_MS = 2_000;

/** What every mode drives: a short face over the owners of the session's state. */
export class AgentSession {
  readonly tooling: SessionTools;
  /** Session only, like the modes of the queue; the user's settings stay as they are. */
  interruptMode: InterruptMode;
  readonly #parts: AgentSessionParts;
  readonly #agent: Agent;
  readonly #runs: RunController;
  readonly #prompting: Prompting;
  readonly #changes: SessionChanges;
  readonly #gate = new SessionGate();
  readonly #overhead = new RequestOverhead();
  readonly #events: SessionEmitter;
  readonly #processes: SessionProcesses;
  readonly #conversation: OpenConversation;
  readonly #models: ModelControl;
  readonly #policies: RunPolicies;
  readonly #todos: SessionTodos;
  readonly #compaction: SessionCompaction;
  readonly #held = new HeldMessages((message) => this.#conversation.append(message));
  /** No run begins before it is known whether the project may act. */
  #consent: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();
  readonly #changeListeners: ChangeListener[] = [];
  /** What was asked for before an abort must not begin after it. */
  #abortCount = 0;
  #hooks: SessionHooks = NO_HOOKS;
  #ready: () => Promise<void> | undefined = () => undefined;

  constructor(parts: AgentSessionParts) {
    const { settings, manager, models } = parts;
    const emit = (event: AgentSessionEvent) => this.emit(event);
    this.#parts = parts;
    this.#conversation = new OpenConversation({ ...parts, emit }, () => this.#agent);
    const hooks = () => this.#hooks;
    this.#models = new ModelControl({ models, manager: () => this.manager, emit, hooks });
    this.#processes = new SessionProcesses({
      settings,
      gateway: parts.gateway,
      cwd: () => this.cwd,
      sessionFile: () => this.sessionFile,
      now: parts.clock.now,
      hooks,
    });
    this.#todos = new SessionTodos({
      settings,
      clock: parts.clock,
      manager: () => this.manager,
      emit,
      isWaiting: () => this.tooling.previews.hasPending,
    });
    this.tooling = new SessionTools({
      ...parts,
      todos: {
        todos: this.#todos.store,
        storage: () => (this.sessionFile === undefined ? "memory" : "session"),
      },
      cwd: () => this.cwd,
      processes: this.#processes,
      emit,
      ...(parts.toolSelection && { selection: parts.toolSelection }),
    });
    this.#compaction = new SessionCompaction({
      ...parts,
      emit,
      hooks,
      manager: () => this.manager,
      messages: () => this.messages,
      overheadTokens: () => this.#overheadTokens(),
      adoptContext: () => {
        this.manager.sync();
        this.#agent.replaceMessages(this.manager.buildContext().messages);
        this.tooling.steering.forgetReminders();
      },
    });
    this.#policies = new RunPolicies({
      settings,
      clock: parts.clock,
      home: parts.home,
      models,
      cwd: () => this.cwd,
      manager: () => this.manager,
      emit,
      compaction: this.#compaction.next,
      steering: this.tooling.steering.next,
      todos: this.#todos.next,
      hooks,
      hasRules: parts.hasRules ?? true,
    });
    this.interruptMode = settings.get("interruptMode");
    const recorder = new Recorder(
      () => this.manager,
      (message) => this.#policies.isDiscarded(message),
    );
    this.#events = new SessionEmitter((event) => {
      recorder.record(event);
      this.#held.onEvent(event);
    });
    this.#agent = new Agent({
      stream: parts.stream,
      setup: async () => {
        const { model, options } = await models.forRequest();
        await this.loadSystemPrompt();
        const fetch = this.#hooks.wrapFetch(globalThis.fetch);
        return {
          systemPrompt: this.#prompting.systemPrompt,
          tools: this.tools,
          model,
          options: { ...options, ...(fetch !== globalThis.fetch && { fetch }) },
        };
      },
      emit: (event) => {
        this.#policies.before(event);
        this.#compaction.before(event);
        this.emit(event);
        this.#policies.after(event);
      },
      ready: () => this.#ready(),
      next: this.#policies.next,
      hooks: this.#policies.hooks,
      watch: this.#policies.watch,
      interruptMode: () => this.interruptMode,
      limits: () => ({
        maxTurns: settings.get("agent.maxTurns"),
        maxIdenticalCalls: settings.get("agent.maxIdenticalCalls"),
        abortGraceMs: settings.get("agent.abortGraceMs"),
      }),
      clock: parts.clock,
    });
    this.#agent.toolChoice.setStanding(this.tooling.steering.choice);
    this.#agent.replaceMessages(manager.buildContext().messages);
    this.#runs = new RunController(this.#agent, emit, () => this.#compaction.afterRun());
    this.#prompting = new Prompting({
      agent: this.#agent,
      runs: this.#runs,
      todos: this.#todos,
      hooks,
      expand: (text) => parts.resources.expand(this.cwd, text),
      prepare: (signal) => this.#prepareRun(signal),
      reminders: () => this.tooling.steering.onPrompt(),
      systemPrompt: () => parts.resources.builtSystemPrompt(this.cwd) ?? "",
      toolNames: () => this.tools.map(({ name }) => name),
      cwd: () => this.cwd,
      append: (message) => this.#held.add(message),
      now: parts.clock.now,
    });
    this.#changes = new SessionChanges(parts.store, this.#gate, {
      current: () => this.manager,
      cwd: parts.cwd,
      hooks,
      runToEnd: () => this.#endOfSession(),
      adopt: (next, reason) => this.#adopt(next, reason),
    });
    this.queue.steeringMode = settings.get("steeringMode");
    this.queue.followUpMode = settings.get("followUpMode");
    this.queue.subscribe(() =>
      this.emit({
        type: "queue_update",
        steering: this.queue.texts("steering"),
        followUp: this.queue.texts("followUp"),
      }),
    );
    this.#models.recordFirst();
  }

  subscribe(listener: SessionListener): () => void {
    return this.#events.subscribe(listener);
  }

  emit(event: AgentSessionEvent): void {
    this.#events.emit(event);
  }

  /** Who may step in from now on: the extensions of this session. */
  useHooks(hooks: SessionHooks): void {
    this.#hooks = hooks;
    this.subscribe((event) => hooks.observe(event));
  }

  /** Told after each change of the open session and, waited for, before the end. */
  onChange(listener: ChangeListener): void {
    this.#changeListeners.push(listener);
  }

  /** The promise `ready` returns while a listener cannot keep up pauses the model stream. */
  setReady(ready: () => Promise<void> | undefined): void {
    this.#ready = ready;
  }

  get isStreaming(): boolean {
    return this.#agent.isRunning;
  }

  get isCompacting(): boolean {
    return this.#compaction.isCompacting;
  }

  /** Whether it happens by itself, in this session. */
  get isAutoCompacting(): boolean {
    return this.#compaction.enabled;
  }

  set isAutoCompacting(isEnabled: boolean) {
    this.#compaction.enabled = isEnabled;
  }

  /** Ends a run, which is not resumed, and replaces older messages by a summary. */
  compact(customInstructions?: string): Promise<CompactionResult> {
    const endRun = this.#runs.endOfNewest();
    const abortCount = this.#abortCount;
    return this.#gate.run(async () => {
      await Promise.all([this.#compaction.abort(), endRun()]);
      this.#conversation.requireWritable();
      if (this.#abortCount !== abortCount) throw new SessionError("cancelled", "Compaction cancelled");
      return this.#compaction.compact(customInstructions);
    });
  }

  /** Finished messages in context order. */
  get messages(): readonly AgentMessage[] {
    return this.#agent.messages;
  }

  get queue(): MessageQueue {
    return this.#agent.queue;
  }

  get settings(): Settings {
    return this.#parts.settings;
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
    return this.#conversation.manager;
  }

  get sessionId(): string {
    return this.manager.sessionId;
  }

  get sessionFile(): string | undefined {
    return this.manager.sessionFile;
  }

  get sessionName(): string | undefined {
    return this.manager.name;
  }

  get cwd(): string {
    return this.#conversation.cwd;
  }

  get hasSystemPrompt(): boolean {
    return this.#parts.resources.builtSystemPrompt(this.cwd) !== undefined;
  }

  /** Builds it if that was not done yet. */
  loadSystemPrompt(): Promise<string> {
    return this.#parts.resources.systemPrompt(this.cwd, this.tools);
  }

  /** Skills and templates that a prompt may begin with. */
  async commands(): Promise<SlashCommand[]> {
    const fromExtensions = this.#hooks.commands().map(
      ({ name, description, sourceInfo }): SlashCommand => ({
        name,
        ...(description !== undefined && { description }),
        source: "extension",
        path: sourceInfo.path,
      }),
    );
    return [...fromExtensions, ...(await this.#parts.resources.commands(this.cwd))];
  }

  promptRules(): Promise<PromptRules> {
    return this.#policies.promptRules();
  }

  /** Runs wait for the answer. */
  askConsent(asker: TrustAsker): void {
    const asked = this.#parts.askConsent?.(asker, this.#closing.signal) ?? Promise.resolve();
    this.#consent = asked.then(async () => {
      this.emit({ type: "available_commands_update", commands: (await this.commands()).map(toAvailableCommand) });
    });
  }

  get systemPrompt(): string {
    return this.#prompting.systemPrompt;
  }

  /**
   * Accepts a prompt. The run is claimed before this returns (a second prompt is refused), and the run itself starts after
   * the caller's current job, so an acknowledgement written right after it comes first.
   */
  submit(input: PromptInput): Submission {
    return this.#prompting.submit(input);
  }

  /** For the next turn boundary; without a run it goes out with the next one. */
  steer(input: PromptInput): void {
    this.#prompting.steer(input);
  }

  /** For the moment when the run would otherwise end. */
  followUp(input: PromptInput): void {
    this.#prompting.followUp(input);
  }

  /** A message that is neither the user's nor the model's. */
  sendCustomMessage(message: CustomMessageInput, options: CustomMessageOptions = {}): Promise<void> {
    return this.#prompting.sendCustom(message, options);
  }

  /** Gives back the texts that will not be delivered. */
  clearQueue(): { steering: string[]; followUp: string[] } {
    const texts = { steering: this.queue.texts("steering"), followUp: this.queue.texts("followUp") };
    this.queue.clear("steering", "followUp");
    return texts;
  }

  /** Resolves when the run is over. */
  prompt(text: string, options: Omit<PromptInput, "text"> = {}): Promise<void> {
    return this.submit({ text, ...options }).finished;
  }

  /** Resolves when the session is idle; at once when it is. */
  async abort(): Promise<void> {
    this.#abortCount += 1;
    await Promise.all([this.#compaction.abort(), this.#runs.abort()]);
  }

  get todoPhases(): TodoPhase[] {
    return this.#todos.store.phases;
  }

  /** Gives the list as it is then. */
  setTodos(phases: unknown): TodoPhase[] {
    return this.#todos.set(phases);
  }

  /** For this session only. */
  setAutoRetry(isEnabled: boolean): void {
    this.#policies.retry.enabled = isEnabled;
  }

  /** Ends the wait before the next attempt, and with it the run. */
  abortRetry(): void {
    this.#policies.retry.abort();
  }

  /** There is somebody who can answer; undefined: nobody is left. */
  attachHost(dialogs: SessionDialogs | undefined): void {
    this.tooling.dialogs = dialogs ?? NO_DIALOGS;
    this.tooling.previews.hasHost = dialogs !== undefined;
  }

  /** What the host said it wants to be asked. */
  declareHost({ answersQuestions, decidesPreviews }: { answersQuestions: boolean; decidesPreviews: boolean }): void {
    this.toolRegistry.setOffered("ask", answersQuestions);
    this.tooling.previews.isHostDeciding = decidesPreviews;
  }

  /** Who decides on previews: the model, or the host it is embedded in. */
  get previewDecider(): "model" | "host" {
    return this.tooling.previews.decider;
  }

  /** Decides on a staged change in the place of the model: the newest, or the one named. */
  async resolvePendingAction(verdict: Verdict, reason?: string, actionId?: string): Promise<Resolution> {
    const { previews } = this.tooling;
    const isForModel = previews.decider === "model";
    const defaultReason = verdict === "apply" ? "Applied by the host" : "Discarded by the host";
    const resolution = await previews
      .decide({ verdict, reason: reason ?? defaultReason, by: "host" }, actionId)
      .catch((error: Error) => {
        throw new SessionError("not_found", error.message);
      });
    // With the host as decider the call that staged it is still open and gets the outcome as its result.
    if (isForModel) this.#held.add(toOutcomeMessage(resolution, this.#parts.clock.now()));
    return resolution;
  }

  /** These four give true when an extension did not want it; then nothing has changed. */
  newSession(options: { parentSession?: string } = {}): Promise<boolean> {
    return this.#changes.newSession(options.parentSession);
  }

  switchSession(path: string): Promise<boolean> {
    return this.#changes.switchSession(path);
  }

  /** Gives the text of the message the new session ends before. */
  branch(entryId: string): Promise<{ text: string; cancelled: boolean }> {
    return this.#changes.branch(entryId);
  }

  clone(): Promise<boolean> {
    return this.#changes.clone();
  }

  /** Goes on from another place of the session's tree. A run is ended first. */
  navigateTree(entryId: string, options: NavigateOptions = {}): Promise<Navigation> {
    const endRun = this.#runs.endOfNewest();
    return this.#gate.run(async () => {
      await Promise.all([this.#compaction.abort(), endRun()]);
      this.#conversation.requireWritable();
      const moved = await this.#compaction.navigate(entryId, options);
      this.#todos.restore();
      this.#policies.restore();
      return moved;
    });
  }

  /** Resolves when there is nothing left to do for any prompt so far. */
  waitForIdle(): Promise<void> {
    return this.#runs.settled();
  }

  /** Of the run that is active. */
  get runSignal(): AbortSignal | undefined {
    return this.#runs.signal;
  }

  setSessionName(name: string): void {
    this.manager.setName(name);
    this.#conversation.announce();
  }

  /** Runs a command of the user beside whatever the agent does. Its output joins the session in which it was started. */
  executeBash(command: string): Promise<BashResult> {
    const startedIn = this.manager;
    return this.#processes.runBash(command, (message) => {
      if (this.manager === startedIn) this.#held.add(message);
      else void this.#conversation.appendTo(startedIn, message);
    });
  }

  abortBash(): void {
    this.#processes.abortBash();
  }

  /** Looks for it on local servers when it is not known. */
  setModel(provider: string, modelId: string): Promise<Model> {
    return this.#models.discoverAndSet(provider, modelId);
  }

  /** null: there is nothing to cycle through. */
  cycleModel(): ReturnType<ModelControl["cycle"]> {
    return this.#models.cycle();
  }

  getAvailableModels(): Promise<Model[]> {
    return this.#models.available();
  }

  setThinkingLevel(level: ThinkingLevel): void {
    this.#models.setLevel(level);
  }

  /** undefined: the model cannot think. */
  cycleThinkingLevel(): ThinkingLevel | undefined {
    return this.#models.cycleLevel();
  }

  getAvailableThinkingLevels(): ThinkingLevel[] {
    return this.#models.levels();
  }

  /** undefined: there is no answer, or none with text. */
  getLastAssistantText(): string | undefined {
    return lastAssistantText(this.messages);
  }

  getSessionStats(): SessionStats {
    const usage = this.getContextUsage();
    return {
      ...(this.sessionFile !== undefined && { sessionFile: this.sessionFile }),
      sessionId: this.sessionId,
      ...countSession(this.messages, this.manager.path()),
      ...(usage && { contextUsage: usage }),
    };
  }

  getContextUsage(): ContextUsage | undefined {
    return contextUsage(this.messages, { model: this.model, overheadTokens: () => this.#overheadTokens() });
  }

  /** A change under way is waited for, so that whatever is open in the end is closed. Rejects when not all was stored. */
  dispose(): Promise<void> {
    this.#closing.abort();
    const aborted = this.abort();
    return this.#gate.run(async () => {
      await aborted;
      await this.tooling.previews.drain("The session was closed", { eachMs: DRAIN_MS, totalMs: DRAIN_MS });
      await this.#compaction.dispose();
      this.#todos.close();
      await this.#told({ kind: "shutdown" });
      await this.#processes.end("shutdown");
      const isSaved = this.manager.sync();
      this.manager.close();
      if (!isSaved) throw new Error(`The session could not be saved to ${this.sessionFile}`);
    });
  }

  /** Throws why no run can start. */
  async #prepareRun(signal: AbortSignal): Promise<void> {
    await this.#gate.pass(signal);
    await unlessAborted(this.#consent, signal);
    await this.#policies.prepare();
    await this.loadSystemPrompt();
    this.#conversation.requireWritable();
    this.#parts.models.requireUsable();
    await this.#compaction.beforePrompt(signal);
  }

  /** What the model is sent besides messages. */
  #overheadTokens(): number {
    return this.#overhead.tokens(this.#parts.resources.builtSystemPrompt(this.cwd) ?? "", this.tools);
  }

  async #told(change: SessionChange): Promise<void> {
    await Promise.all(this.#changeListeners.map((listener) => listener(change)));
  }

  /** Nothing that was staged in the session may be applied in the next one. */
  #endOfSession(): () => Promise<void> {
    const endRun = this.#runs.endOfNewest();
    return async () => {
      await Promise.all([this.#compaction.abort(), endRun()]);
      await this.tooling.previews.drain(SESSION_CHANGED_TEXT, { eachMs: DRAIN_MS, totalMs: Number.POSITIVE_INFINITY });
    };
  }

  #adopt(next: SessionManager, kind: ChangeKind): void {
    const previousSessionFile = this.sessionFile;
    const previousCwd = this.cwd;
    void this.#processes.end("session_change");
    const context = this.#conversation.adopt(next);
    this.queue.clear("steering", "followUp", "nextTurn");
    const problem = kind === "new" ? undefined : this.#parts.models.restore(context);
    this.#models.recordFirst();
    this.#policies.restore();
    this.#todos.restore();
    this.#conversation.announce();
    this.#compaction.watchIdle();
    if (this.cwd !== previousCwd) this.#consent = this.#parts.enterDirectory?.(this.cwd) ?? Promise.resolve();
    void this.#told({ kind, previousSessionFile });
    if (problem !== undefined) this.emit({ type: "notice", level: "warning", message: problem, source: "model" });
  }
}

/** Waits, but not longer than somebody wants to. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => aborted.resolve(), { once: true });
  await Promise.race([work, aborted.promise]);
}

/** Tells the model what became of its preview. */
function toOutcomeMessage({ action, verdict, reason, text }: Resolution, timestamp: number): CustomMessage {
  return {
    role: "custom",
    customType: "resolve-result",
    content: text,
    display: true,
    details: { actionId: action.id, action: verdict, reason, label: action.label },
    attribution: "user",
    timestamp,
  };
}
