import { Agent, type AgentMessage, type Clock, type InterruptMode, type MessageQueue, type Tool } from "@pintle/agent";
import {
  type ImageContent,
  type Model,
  type StreamModel,
  supportedThinkingLevels,
  type ThinkingLevel,
  type UserMessage,
} from "@pintle/ai";
import type { Settings } from "../config/settings.ts";
import { toWireModel } from "../config/wire-model.ts";
import type { BashResult } from "../processes/bash-result.ts";
import { type ContextUsage, contextUsage } from "./context-usage.ts";
import { SessionEmitter, type SessionListener } from "./event-emitter.ts";
import { HeldMessages } from "./held-messages.ts";
import { lastAssistantText } from "./last-assistant-text.ts";
import type { ModelState } from "./model-state.ts";
import { Recorder } from "./recorder.ts";
import { RunController } from "./run-controller.ts";
import { type ChangeReason, SessionChanges } from "./session-changes.ts";
import { SessionError } from "./session-error.ts";
import type { AgentSessionEvent } from "./session-events.ts";
import { SessionGate } from "./session-gate.ts";
import { SessionProcesses } from "./session-processes.ts";
import { countSession, type SessionStats } from "./session-stats.ts";
import { CURRENT_VERSION } from "./storage/entries.ts";
import type { SessionManager } from "./storage/session-manager.ts";
import type { SessionStore } from "./storage/session-store.ts";
import { ToolRegistry } from "./tool-registry.ts";
import { workingDirectory } from "./working-directory.ts";

export interface PromptInput {
  text: string;
  images?: ImageContent[];
  /** Where the text goes when a run is active. */
  streamingBehavior?: "steer" | "followUp";
}

export interface Submission {
  /** Resolves at agent_start or when the message is queued. Rejects when no run could be started. */
  started: Promise<void>;
  /** Resolves when everything the prompt caused is over. */
  finished: Promise<void>;
}

export interface AgentSessionParts {
  /** Where relative paths start; the session's own directory may be another. */
  cwd: string;
  store: SessionStore;
  manager: SessionManager;
  models: ModelState;
  settings: Settings;
  /** For a working directory; asked again when that changes. */
  systemPrompt: (cwd: string) => string;
  tools: readonly Tool[];
  stream: StreamModel;
  clock: Clock;
}

/** What every mode drives: a short face over the owners of the session's state. */
export class AgentSession {
  readonly toolRegistry = new ToolRegistry();
  /** Session only, like the modes of the queue; the user's settings stay as they are. */
  interruptMode: InterruptMode;
  readonly #parts: AgentSessionParts;
  readonly #agent: Agent;
  readonly #runs: RunController;
  readonly #changes: SessionChanges;
  readonly #gate = new SessionGate();
  readonly #events: SessionEmitter;
  readonly #processes: SessionProcesses;
  readonly #held = new HeldMessages((message) => this.#append(message));
  #manager: SessionManager;
  #cwd: string;
  #systemPrompt: string;
  #ready: () => Promise<void> | undefined = () => undefined;

  constructor(parts: AgentSessionParts) {
    const { settings, manager, models } = parts;
    this.#parts = parts;
    this.#manager = manager;
    this.#cwd = workingDirectory(manager.header.cwd, parts.cwd).cwd;
    this.#systemPrompt = parts.systemPrompt(this.#cwd);
    this.toolRegistry.replace(
      "builtin",
      parts.tools.map((tool) => ({ tool })),
    );
    this.interruptMode = settings.get("interruptMode");
    const recorder = new Recorder(() => this.#manager);
    this.#events = new SessionEmitter((event) => {
      recorder.record(event);
      this.#held.onEvent(event);
    });
    this.#agent = new Agent({
      stream: parts.stream,
      setup: async () => ({ systemPrompt: this.#systemPrompt, tools: this.tools, ...(await models.forRequest()) }),
      emit: (event) => this.emit(event),
      ready: () => this.#ready(),
      interruptMode: () => this.interruptMode,
      limits: () => ({
        maxTurns: settings.get("agent.maxTurns"),
        maxIdenticalCalls: settings.get("agent.maxIdenticalCalls"),
        abortGraceMs: settings.get("agent.abortGraceMs"),
      }),
      clock: parts.clock,
    });
    this.#agent.replaceMessages(manager.buildContext().messages);
    this.#runs = new RunController(this.#agent, (event) => this.emit(event));
    this.#changes = new SessionChanges(parts.store, this.#gate, {
      current: () => this.#manager,
      cwd: parts.cwd,
      runToEnd: () => this.#runs.endOfNewest(),
      adopt: (next, reason) => this.#adopt(next, reason),
    });
    this.#processes = new SessionProcesses({
      settings,
      cwd: () => this.#cwd,
      sessionFile: () => this.sessionFile,
      now: parts.clock.now,
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
    this.#recordModel();
  }

  subscribe(listener: SessionListener): () => void {
    return this.#events.subscribe(listener);
  }

  emit(event: AgentSessionEvent): void {
    this.#events.emit(event);
  }

  /** The promise `ready` returns while a listener cannot keep up pauses the model stream. */
  setReady(ready: () => Promise<void> | undefined): void {
    this.#ready = ready;
  }

  get isStreaming(): boolean {
    return this.#agent.isRunning;
  }

  get isCompacting(): boolean {
    return false;
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
    return this.toolRegistry.active();
  }

  get model(): Model {
    return this.#parts.models.current;
  }

  get thinkingLevel(): ThinkingLevel {
    return this.#parts.models.thinkingLevel;
  }

  /** The open conversation, for reading; its entries are written by the session alone. */
  get manager(): SessionManager {
    return this.#manager;
  }

  get sessionId(): string {
    return this.#manager.sessionId;
  }

  get sessionFile(): string | undefined {
    return this.#manager.sessionFile;
  }

  get sessionName(): string | undefined {
    return this.#manager.name;
  }

  get cwd(): string {
    return this.#cwd;
  }

  get systemPrompt(): string {
    return this.#systemPrompt;
  }

  /**
   * Accepts a prompt. The run is claimed before this returns (a second prompt is refused), and the run itself starts after
   * the caller's current job, so an acknowledgement written right after it comes first.
   */
  submit(input: PromptInput): Submission {
    if (this.isStreaming && input.streamingBehavior) {
      if (input.streamingBehavior === "steer") this.steer(input);
      else this.followUp(input);
      return { started: Promise.resolve(), finished: this.#runs.settled() };
    }
    const message = this.#toUserMessage(input);
    return this.#runs.begin(async (signal) => {
      await this.#gate.pass(signal);
      this.#requireWritable();
      this.#parts.models.requireUsable();
      return () => [message, ...this.queue.takeNextTurn()];
    });
  }

  /** For the next turn boundary; without a run it goes out with the next one. */
  steer(input: PromptInput): void {
    this.queue.steer(this.#toUserMessage(input));
  }

  /** For the moment when the run would otherwise end. */
  followUp(input: PromptInput): void {
    this.queue.followUp(this.#toUserMessage(input));
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
  abort(): Promise<void> {
    return this.#runs.abort();
  }

  newSession(options: { parentSession?: string } = {}): Promise<void> {
    return this.#changes.newSession(options.parentSession);
  }

  switchSession(path: string): Promise<void> {
    return this.#changes.switchSession(path);
  }

  /** Gives the text of the message the new session ends before. */
  branch(entryId: string): Promise<string> {
    return this.#changes.branch(entryId);
  }

  clone(): Promise<void> {
    return this.#changes.clone();
  }

  setSessionName(name: string): void {
    this.#manager.setName(name);
    this.#announceSession();
  }

  /** Runs a command of the user beside whatever the agent does. Its output joins the session in which it was started. */
  executeBash(command: string): Promise<BashResult> {
    const startedIn = this.#manager;
    return this.#processes.runBash(command, (message) => {
      if (this.#manager === startedIn) this.#held.add(message);
      else void this.#appendTo(startedIn, message);
    });
  }

  abortBash(): void {
    this.#processes.abortBash();
  }

  setModel(provider: string, modelId: string): Model {
    return this.#changeModel(() => this.#parts.models.choose(provider, modelId));
  }

  /** null: there is nothing to cycle through. */
  cycleModel(): { model: Model; thinkingLevel: ThinkingLevel; isScoped: boolean } | null {
    const next = this.#changeModel(() => this.#parts.models.cycle());
    return next && { ...next, thinkingLevel: this.thinkingLevel };
  }

  getAvailableModels(): Model[] {
    return this.#parts.models.available();
  }

  setThinkingLevel(level: ThinkingLevel): void {
    this.#changeModel(() => this.#parts.models.setThinkingLevel(level));
  }

  /** undefined: the model cannot think. */
  cycleThinkingLevel(): ThinkingLevel | undefined {
    const levels = this.getAvailableThinkingLevels();
    if (levels.length < 2) return undefined;
    this.setThinkingLevel(levels[(levels.indexOf(this.thinkingLevel) + 1) % levels.length] ?? "off");
    return this.thinkingLevel;
  }

  getAvailableThinkingLevels(): ThinkingLevel[] {
    return supportedThinkingLevels(this.model);
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
      ...countSession(this.messages, this.#manager.path()),
      ...(usage && { contextUsage: usage }),
    };
  }

  getContextUsage(): ContextUsage | undefined {
    const overhead = () =>
      this.#systemPrompt + JSON.stringify(this.tools.map(({ name, parameters }) => ({ name, parameters })));
    return contextUsage(this.messages, { model: this.model, overhead });
  }

  /** A change under way is waited for, so that whatever is open in the end is closed. */
  dispose(): Promise<void> {
    const aborted = this.abort();
    return this.#gate.run(async () => {
      await aborted;
      await this.#processes.end("shutdown");
      this.#manager.sync();
      this.#manager.close();
    });
  }

  #adopt(next: SessionManager, reason: ChangeReason): void {
    const { models } = this.#parts;
    const previous = this.#manager;
    this.#manager = next;
    previous.sync();
    if (previous !== next) previous.close();
    void this.#processes.end("session_change");
    const context = next.buildContext();
    this.#agent.replaceMessages(context.messages);
    this.queue.clear("steering", "followUp", "nextTurn");
    const { cwd, problem: cwdProblem } = workingDirectory(next.header.cwd, this.#cwd);
    this.#cwd = cwd;
    this.#systemPrompt = this.#parts.systemPrompt(cwd);
    const modelProblem = reason === "restored" ? models.restore(context) : undefined;
    this.#recordModel();
    this.#announceSession();
    this.#warn("session", cwdProblem);
    this.#warn("model", modelProblem);
  }

  /** A message from outside a run: it joins the conversation without an event. */
  #append(message: AgentMessage): void {
    this.#manager.appendMessage(message);
    this.#agent.append(message);
  }

  /** For a session that was left meanwhile. One in memory is gone. */
  async #appendTo(left: SessionManager, message: AgentMessage): Promise<void> {
    if (left.sessionFile === undefined) return;
    try {
      const reopened = await this.#parts.store.open(left.sessionFile);
      reopened.appendMessage(message);
      reopened.close();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#warn("bash", `The output of a command could not be stored in the session it was started in: ${reason}`);
    }
  }

  /** Records and announces what a change of the model state has changed. */
  #changeModel<T>(change: () => T): T {
    const before = { model: this.model, level: this.thinkingLevel };
    const result = change();
    const { model, thinkingLevel: level } = this;
    if (model !== before.model) {
      this.#manager.appendModelChange({ provider: model.provider, modelId: model.id });
      this.emit({ type: "model_changed", model: toWireModel(model) });
    }
    if (level !== before.level) {
      this.#manager.appendThinkingLevelChange(level);
      this.emit({ type: "thinking_level_changed", level, thinkingLevel: level });
    }
    return result;
  }

  #warn(source: string, message: string | undefined): void {
    if (message !== undefined) this.emit({ type: "notice", level: "warning", message, source });
  }

  /** A run whose messages nobody can store must not begin. */
  #requireWritable(): void {
    if (!this.#manager.isReadOnly) return;
    const { version } = this.#manager.header;
    const reason = (version ?? 0) > CURRENT_VERSION ? `has version ${version} and can only be read` : "is closed";
    throw new SessionError("invalid_request", `Session ${this.sessionFile ?? this.sessionId} ${reason}`);
  }

  /** Opens a new conversation's history; alone it makes no file. */
  #recordModel(): void {
    if (this.#manager.leafId !== null || this.#manager.isReadOnly) return;
    const { provider, id } = this.model;
    this.#manager.appendModelChange({ provider, modelId: id });
    this.#manager.appendThinkingLevelChange(this.thinkingLevel);
  }

  #announceSession(): void {
    const { sessionId, sessionFile, sessionName } = this;
    this.emit({
      type: "session_info_changed",
      ...(sessionName !== undefined && { name: sessionName }),
      sessionId,
      ...(sessionFile !== undefined && { sessionFile }),
    });
  }

  #toUserMessage({ text, images = [] }: PromptInput): UserMessage {
    const texts = text === "" ? [] : [{ type: "text" as const, text }];
    return { role: "user", content: [...texts, ...images], attribution: "user", timestamp: this.#parts.clock.now() };
  }
}
