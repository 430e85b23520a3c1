import { ABORTED_TEXT, RequestMemory } from "@pintle/ai";
import { type RunBeginning, runAgentLoop } from "./agent-loop.ts";
import { ContextBuilder } from "./context-builder.ts";
import type { RunEndedBy } from "./events.ts";
import { MessageLog } from "./message-log.ts";
import { MessageQueue } from "./message-queue.ts";
import type { AgentMessage } from "./messages.ts";
import { RunContext } from "./run-context.ts";
import { type RunEnd, RunEnded } from "./run-end.ts";
import { ToolChoiceQueue } from "./tool-choice.ts";
import type { LoopDeps } from "./types.ts";

export const BUSY_TEXT =
  "Agent is already processing. Use steer() or followUp() to queue messages, or wait for completion.";

export class AgentBusyError extends Error {
  constructor() {
    super(BUSY_TEXT);
    this.name = "AgentBusyError";
  }
}

export class AbortedBeforeStartError extends Error {
  constructor() {
    super(ABORTED_TEXT);
    this.name = "AbortedBeforeStartError";
  }
}

/** The right to run, held from the moment a prompt is accepted until just before its agent_end. Can be used once. */
export interface RunClaim {
  readonly signal: AbortSignal;
  /**
   * Runs to agent_end. Rejects with AbortedBeforeStartError, without any event, if an abort came first. The messages
   * are announced when `after` has settled or the run is aborted; messages that arrive from outside meanwhile precede
   * them.
   */
  start(prompt: readonly AgentMessage[], after?: Promise<unknown>): Promise<RunEnd>;
  /** Releases the claim without a run. Has no effect once the run has started: it ends by itself or by abort. */
  release(): void;
}

/** A conversation and at most one run on it. */
export class Agent {
  readonly queue = new MessageQueue();
  readonly toolChoice = new ToolChoiceQueue();
  readonly #conversation: MessageLog;
  readonly #context = new ContextBuilder();
  readonly #requests = new RequestMemory();
  readonly #deps: LoopDeps;
  /** Stops the claimed run; undefined if none is claimed. */
  #controller: AbortController | undefined;
  /** Resolves when the newest claim has ended completely. */
  #over: Promise<void> = Promise.resolve();

  /** The log may be shared with the code that stores the conversation and may replace it. */
  constructor(deps: LoopDeps, conversation = new MessageLog()) {
    this.#deps = deps;
    this.#conversation = conversation;
  }

  /** From the acceptance of a prompt until just before its agent_end. */
  get isRunning(): boolean {
    return this.#controller !== undefined;
  }

  /** Finished messages in context order. */
  get messages(): readonly AgentMessage[] {
    return this.#conversation.messages;
  }

  /** Adds a message that comes from outside a run. */
  append(message: AgentMessage): void {
    this.#conversation.add(message);
  }

  replaceMessages(messages: readonly AgentMessage[]): void {
    this.#conversation.replace(messages);
  }

  /** Claims the run before the first await, because a host may send two prompts before it reads a response. */
  claim(): RunClaim {
    if (this.#controller) throw new AgentBusyError();
    const controller = new AbortController();
    this.#controller = controller;
    let finish = () => {};
    this.#over = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const goIdle = () => {
      if (this.#controller === controller) this.#controller = undefined;
    };
    let isUsed = false;
    return {
      signal: controller.signal,
      release: () => {
        if (isUsed) return;
        isUsed = true;
        goIdle();
        finish();
      },
      start: async (prompt, after) => {
        if (isUsed) throw new Error("A claim can be used for one run only");
        isUsed = true;
        try {
          return await this.#start({ prompt, after }, controller, goIdle);
        } finally {
          goIdle();
          finish();
        }
      },
    };
  }

  prompt(messages: readonly AgentMessage[]): Promise<RunEnd> {
    return this.claim().start(messages);
  }

  /** Continues from the stored conversation. */
  async continue(): Promise<RunEnd> {
    const last = this.messages.at(-1);
    if (!last) throw new Error("No messages to continue from");
    const claim = this.claim();
    // A run takes queued steering by itself when it starts.
    if (last.role !== "assistant" || this.queue.hasSteering) return claim.start([]);
    const followUps = this.queue.takeFollowUp();
    if (followUps.length > 0) return claim.start(followUps);
    claim.release();
    throw new Error("Cannot continue from message role: assistant");
  }

  /**
   * Resolves when the run has ended completely. Harmless if idle or repeated. `endedBy` is set if it was not the user's
   * abort; `agent_end` reports the reason. `why` is a clause for results.
   */
  abort(endedBy?: RunEndedBy | "timeout", why?: string): Promise<void> {
    this.#controller?.abort(endedBy && new RunEnded(endedBy, why));
    return this.#over; // The stop function of this run: by the time it resolves, a listener may have started the next.
  }

  /** Resolves when the newest run has ended completely; immediately if there is none. */
  idle(): Promise<void> {
    return this.#over;
  }

  async #start(beginning: RunBeginning, controller: AbortController, goIdle: () => void): Promise<RunEnd> {
    if (controller.signal.aborted) throw new AbortedBeforeStartError();
    const state = {
      conversation: this.#conversation,
      queue: this.queue,
      toolChoice: this.toolChoice,
      context: this.#context,
      requests: this.#requests,
    };
    const run = new RunContext(this.#deps, state, controller);
    return runAgentLoop(run, beginning, goIdle).finally(() => run.deadline.close());
  }
}
