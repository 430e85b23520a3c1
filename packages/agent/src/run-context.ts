import { ABORTED_TEXT, errorText, isTooDeep, type RequestMemory, SerialWork, untilAborted } from "@pintle/ai";
import { AbortDeadline } from "./abort-deadline.ts";
import type { ContextBuilder } from "./context-builder.ts";
import type { AgentEvent, RunEndedBy } from "./events.ts";
import { MessageLog } from "./message-log.ts";
import type { MessageQueue } from "./message-queue.ts";
import type { AgentMessage } from "./messages.ts";
import { RunEnded } from "./run-end.ts";
import type { ToolChoiceQueue } from "./tool-choice.ts";
import type { LoopDeps } from "./types.ts";

/** State that outlives a run. */
export interface LoopState {
  conversation: MessageLog;
  queue: MessageQueue;
  toolChoice: ToolChoiceQueue;
  context: ContextBuilder;
  requests: RequestMemory;
}

/** What all parts of one run share: its signal, its emitter, and the messages it has finished so far. */
export class RunContext {
  readonly deps: LoopDeps;
  readonly state: LoopState;
  readonly signal: AbortSignal;
  readonly deadline: AbortDeadline;
  readonly ended = new MessageLog();
  readonly #sections = new SerialWork();

  readonly #controller: AbortController;

  constructor(deps: LoopDeps, state: LoopState, controller: AbortController) {
    this.deps = deps;
    this.state = state;
    this.#controller = controller;
    this.signal = controller.signal;
    this.deadline = new AbortDeadline(deps, this.signal);
  }

  /** Aborts the run for a reason that `agent_end` reports. */
  abort(endedBy: RunEndedBy, why?: string): void {
    this.#controller.abort(new RunEnded(endedBy, why));
  }

  emit(event: AgentEvent): void {
    this.deps.emit(event);
  }

  /** Returns the message that its hook produced. Call it before the message is announced or ended. */
  async finalize<M extends AgentMessage>(message: M): Promise<M> {
    const { hooks } = this.deps;
    if (!hooks?.messageEnd) return message;
    try {
      const replacement = await this.deadline.withinGrace("hook", hooks.messageEnd(message));
      const isUsable = replacement && isSameKind(replacement, message) && !isTooDeep(replacement);
      return isUsable ? (replacement as M) : message;
    } catch {
      return message; // A failing hook changes nothing; its owner reports the fault.
    }
  }

  /** Announces a complete message: its start and end are emitted together with the same content. */
  announce<M extends AgentMessage>(message: M, order?: ReadonlyMap<string, number>): M {
    this.emit({ type: "message_start", message });
    return this.endMessage(message, order);
  }

  /**
   * Adds a started message to the conversation and emits its end. `order` assigns each result of a batch its position.
   * Returns the message as it ended: one that cannot be stored ends as a replacement that says so, or, without one,
   * throws.
   */
  endMessage<M extends AgentMessage>(message: M, order?: ReadonlyMap<string, number>): M {
    try {
      this.#end(message, order);
      return message;
    } catch (error) {
      const twin = unstoredMessage(message, error);
      if (!twin) throw error;
      this.#end(twin, order);
      return twin;
    }
  }

  #end(message: AgentMessage, order: ReadonlyMap<string, number> | undefined): void {
    for (const log of [this.state.conversation, this.ended]) {
      if (order && message.role === "toolResult") log.addResult(message, order);
      else log.add(message);
    }
    try {
      this.emit({ type: "message_end", message });
    } catch (error) {
      this.withdraw([message]);
      throw error;
    }
  }

  withdraw(messages: readonly AgentMessage[]): void {
    const withdrawn = new Set(messages);
    this.state.conversation.remove(withdrawn);
    this.ended.remove(withdrawn);
  }

  /** Runs jobs one after the other, so that the events of two calls that end together do not mix. */
  inOrder<T>(job: () => Promise<T>): Promise<T> {
    return this.#sections.run(job);
  }

  /** Waits for `work` or for the abort, whichever is first. The abort rejects. */
  abortable<T>(work: T | Promise<T>): Promise<T> {
    if (!(work instanceof Promise)) return Promise.resolve(work);
    return untilAborted(work, this.signal, () => new Error(ABORTED_TEXT));
  }
}

/** Returns whether a replacement keeps the role, and for a result the call, of the original. */
function isSameKind(replacement: AgentMessage, message: AgentMessage): boolean {
  if (replacement.role !== "toolResult" || message.role !== "toolResult") return replacement.role === message.role;
  return replacement.toolCallId === message.toolCallId;
}

/**
 * Returns the replacement for a message that could not be stored: it has started and must end, and no listener received
 * its content as stored. It contains nothing that may have been the cause. Returns undefined if only the end of the run
 * can report it.
 */
function unstoredMessage<M extends AgentMessage>(message: M, error: unknown): M | undefined {
  const text = `The message could not be stored: ${errorText(error)}`;
  if (message.role === "assistant") return { ...message, content: [], stopReason: "error", errorMessage: text };
  if (message.role !== "toolResult") return undefined;
  return { ...message, content: [{ type: "text", text }], details: {}, isError: true };
}
