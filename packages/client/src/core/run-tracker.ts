import type { AgentEndEvent, AgentMessage, PromptResultEvent, RpcEvent } from "../protocol.ts";
import type { Settle } from "./waits.ts";

/** Follows one prompt from its acknowledgement on. */
export interface PromptWatcher {
  onEvent(event: RpcEvent): void;
  /** The run is over; without an event the prompt was handled without the model. */
  onEnd(event?: AgentEndEvent): void;
  /** It was acknowledged, and there will be no run after all. */
  onFailure(error: Error): void;
}

interface TrackedPrompt {
  isAcknowledged: boolean;
  watcher: PromptWatcher | undefined;
}

type IdleWaiter = Settle<void>;
type FailureListener = (error: Error) => void;

/**
 * What the server is doing, as far as its frames tell. A prompt counts from being sent until it is refused, fails late, is
 * handled without the model, or the first `agent_end` behind its acknowledgement.
 */
export class RunTracker {
  readonly #prompts = new Map<string, TrackedPrompt>();
  readonly #idleWaiters = new Set<IdleWaiter>();
  readonly #failureListeners = new Set<FailureListener>();
  #isRunning = false;
  #isSettling = false;
  #messages: AgentMessage[] = [];
  /** A late failure that had no listener. */
  #missedFailure: Error | undefined;

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

  /** Its sender knows why. */
  refused(id: string): void {
    if (this.#prompts.delete(id)) this.#checkIdle();
  }

  /** A second answer to an acknowledged prompt. */
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
    else if (event.type === "prompt_result") this.#endPrompt(event);
    else this.#tellWatchers(event);
    if (event.type === "agent_end") this.#endRun(event);
    this.#checkIdle();
  }

  /** Settles when the server is idle, or a prompt fails late; gives a function that forgets the waiter. */
  whenIdle(waiter: IdleWaiter): () => void {
    const forget = this.onLateFailure(waiter.reject);
    if (this.isIdle) waiter.resolve();
    else this.#idleWaiters.add(waiter);
    return () => {
      forget();
      this.#idleWaiters.delete(waiter);
    };
  }

  /** Also of a failure that came without a listener, and no prompt since. */
  onLateFailure(listener: FailureListener): () => void {
    const missed = this.#missedFailure;
    this.#missedFailure = undefined;
    if (missed) listener(missed);
    this.#failureListeners.add(listener);
    return () => this.#failureListeners.delete(listener);
  }

  /** How the session is, told by itself instead of by events. */
  resume({ isStreaming, isSettled }: { isStreaming: boolean; isSettled: boolean }): void {
    this.#isRunning = isStreaming;
    this.#isSettling = !isStreaming && !isSettled;
    this.#checkIdle();
  }

  /** Nothing is left to do for any acknowledged prompt, although its end was not told. */
  endedUnseen(event?: AgentEndEvent): void {
    this.#endPrompts((watcher) => watcher.onEnd(event));
    this.resume({ isStreaming: false, isSettled: true });
  }

  /** The server has lost its run: there will be no end of acknowledged prompts. */
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
    this.#endPrompts((watcher) => watcher.onEnd(event));
  }

  #endPrompts(end: (watcher: PromptWatcher) => void): void {
    for (const [id, { isAcknowledged, watcher }] of [...this.#prompts]) {
      if (!isAcknowledged) continue;
      this.#prompts.delete(id);
      if (watcher) end(watcher);
    }
  }

  /** Those that had a run have ended with its agent_end. */
  #endPrompt(event: PromptResultEvent): void {
    const id = String(event.id);
    const prompt = this.#prompts.get(id);
    if (!prompt || event.agentInvoked) return;
    this.#prompts.delete(id);
    prompt.watcher?.onEvent(event);
    prompt.watcher?.onEnd();
  }

  #checkIdle(): void {
    if (this.isIdle) for (const waiter of [...this.#idleWaiters]) waiter.resolve();
  }
}
