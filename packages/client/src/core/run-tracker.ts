import type { AgentEndEvent, AgentMessage, PromptResultEvent, RpcEvent } from "../protocol.ts";
import type { Settle } from "./waits.ts";

/** Follows one prompt from its acknowledgement. */
export interface PromptWatcher {
  onEvent(event: RpcEvent): void;
  /** The run is over. Without an `agent_end` the prompt was handled without the model. */
  onEnd(event?: AgentEndEvent, result?: PromptResultEvent): void;
  /** The prompt was acknowledged, but no run will follow. */
  onFailure(error: Error): void;
}

interface TrackedPrompt {
  isAcknowledged: boolean;
  watcher: PromptWatcher | undefined;
  /** The latest `agent_end`, kept until the result arrives. */
  end?: AgentEndEvent;
}

type IdleWaiter = Settle<void>;
type FailureListener = (error: Error) => void;

/**
 * Tracks what the server is doing, as far as its frames show it. A prompt is open until it is rejected, fails late or its
 * `prompt_result` arrives. Older servers send no result; there, the first `agent_end` after the acknowledgement ends it.
 */
export class RunTracker {
  readonly #prompts = new Map<string, TrackedPrompt>();
  readonly #idleWaiters = new Set<IdleWaiter>();
  readonly #failureListeners = new Set<FailureListener>();
  #isRunning = false;
  #isSettling = false;
  #messages: AgentMessage[] = [];
  /** A late failure that no listener has received. */
  #missedFailure: Error | undefined;
  /** The server reports each result with `prompt_result`. */
  hasResults = false;

  get isIdle(): boolean {
    return this.#prompts.size === 0 && !this.#isRunning && !this.#isSettling;
  }

  sent(id: string, watcher?: PromptWatcher): void {
    this.#missedFailure = undefined;
    this.#prompts.set(id, { isAcknowledged: false, watcher });
  }

  acknowledged(id: string): void {
    const prompt = this.#prompts.get(id);
    if (prompt) prompt.isAcknowledged = true;
  }

  /** Forgets a rejected prompt; its sender receives the reason. */
  refused(id: string): void {
    if (this.#prompts.delete(id)) this.#checkIdle();
  }

  /** Handles a second, failed response to an acknowledged prompt. */
  failedLate(id: string, error: Error): void {
    const prompt = this.#prompts.get(id);
    if (!prompt) return;
    this.#prompts.delete(id);
    const listeners = [...this.#failureListeners];
    if (!prompt.watcher && listeners.length === 0) this.#missedFailure = error;
    prompt.watcher?.onFailure(error);
    for (const listener of listeners) listener(error);
    this.#checkIdle();
  }

  handle(event: RpcEvent): void {
    if (event.type === "agent_start") this.#startRun();
    if (event.type === "message_end") this.#messages.push(event.message);
    if (event.type === "agent_settled") this.#isSettling = false;
    else if (event.type === "session_settled") this.#endFinished();
    else if (event.type === "prompt_result") this.#endPrompt(event);
    else this.#tellWatchers(event);
    if (event.type === "agent_end") this.#endRun(event);
    this.#checkIdle();
  }

  /**
   * Resolves the waiter when the server is idle, or rejects it if a prompt fails late. Returns a function that removes the
   * waiter.
   */
  whenIdle(waiter: IdleWaiter): () => void {
    const forget = this.onLateFailure(waiter.reject);
    if (this.isIdle) waiter.resolve();
    else this.#idleWaiters.add(waiter);
    return () => {
      forget();
      this.#idleWaiters.delete(waiter);
    };
  }

  /** Subscribes to late failures, including one that no listener received and no prompt followed. */
  onLateFailure(listener: FailureListener): () => void {
    const missed = this.#missedFailure;
    this.#missedFailure = undefined;
    if (missed) listener(missed);
    this.#failureListeners.add(listener);
    return () => this.#failureListeners.delete(listener);
  }

  /** Applies the session's own report of its state instead of events. */
  resume({ isStreaming, isSettled }: { isStreaming: boolean; isSettled: boolean }): void {
    this.#isRunning = isStreaming;
    this.#isSettling = !isStreaming && !isSettled;
    this.#checkIdle();
  }

  /** Ends all acknowledged prompts whose end was missed. */
  endedUnseen(event?: AgentEndEvent): void {
    this.#endPrompts((watcher, end) => watcher.onEnd(end ?? event));
    this.resume({ isStreaming: false, isSettled: true });
  }

  /** Fails all acknowledged prompts, because the server has lost its run. */
  interrupted(error: Error): void {
    this.#endPrompts((watcher) => watcher.onFailure(error));
    for (const listener of [...this.#failureListeners]) listener(error);
    this.resume({ isStreaming: false, isSettled: true });
  }

  /** The finished messages of the active run. */
  get messages(): readonly AgentMessage[] {
    return this.#messages;
  }

  reset(): void {
    this.#prompts.clear();
    this.#isRunning = false;
    this.#isSettling = false;
    this.#messages = [];
    this.#missedFailure = undefined;
  }

  #tellWatchers(event: RpcEvent): void {
    for (const { isAcknowledged, watcher } of this.#prompts.values()) if (isAcknowledged) watcher?.onEvent(event);
  }

  #startRun(): void {
    this.#isRunning = true;
    this.#messages = [];
  }

  #endRun(event: AgentEndEvent): void {
    this.#isRunning = false;
    this.#isSettling = true;
    this.#messages = [];
    if (!this.hasResults) this.#endPrompts((watcher) => watcher.onEnd(event));
    for (const prompt of this.#prompts.values()) if (prompt.isAcknowledged) prompt.end = event;
  }

  #endPrompts(finish: (watcher: PromptWatcher, end?: AgentEndEvent) => void): void {
    for (const [id, { isAcknowledged, watcher, end }] of [...this.#prompts]) {
      if (!isAcknowledged) continue;
      this.#prompts.delete(id);
      if (watcher) finish(watcher, end);
    }
  }

  /** Ends prompts whose run is over: no result will follow. */
  #endFinished(): void {
    for (const [id, { watcher, end }] of [...this.#prompts]) {
      if (!end) continue;
      this.#prompts.delete(id);
      watcher?.onEnd(end);
    }
  }

  /** Handles a result. With an older server, prompts that had a run have already ended with its `agent_end`. */
  #endPrompt(event: PromptResultEvent): void {
    const id = String(event.id);
    const prompt = this.#prompts.get(id);
    if (!prompt || (event.agentInvoked && !this.hasResults)) return;
    this.#prompts.delete(id);
    prompt.watcher?.onEvent(event);
    prompt.watcher?.onEnd(prompt.end, event);
  }

  #checkIdle(): void {
    if (this.isIdle) for (const waiter of [...this.#idleWaiters]) waiter.resolve();
  }
}
