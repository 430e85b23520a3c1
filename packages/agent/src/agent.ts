import { ABORTED_TEXT } from "@pintle/ai";
import { type RunBeginning, runAgentLoop } from "./agent-loop.ts";
import type { RunEndedBy } from "./events.ts";
import { MessageLog } from "./message-log.ts";
import { MessageQueue } from "./message-queue.ts";
import type { AgentMessage } from "./messages.ts";
import { RunContext } from "./run-context.ts";
import { RunEnded } from "./run-ended.ts";
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

/** The right to run, held from the moment a prompt is accepted until just before its agent_end. Good for one use. */
export interface RunClaim {
  readonly signal: AbortSignal;
  /**
   * Runs to agent_end. Rejects with AbortedBeforeStartError, without any event, when an abort came first. The messages are
   * announced when `after` has settled or the run is aborted; messages from outside that come meanwhile stand before them.
   */
  start(prompt: readonly AgentMessage[], after?: Promise<unknown>): Promise<void>;
  /** Gives the claim back without a run. Nothing happens once the run has started: it ends by itself or by abort. */
  release(): void;
}

/** A conversation and at most one run on it. */
export class Agent {
  readonly queue = new MessageQueue();
  readonly toolChoice = new ToolChoiceQueue();
  readonly #conversation: MessageLog;
  readonly #deps: LoopDeps;
  /** Stops the claimed run; undefined when none is claimed. */
  #controller: AbortController | undefined;
  /** Resolves when nothing of the newest claim is left. */
  #over: Promise<void> = Promise.resolve();

  /** The log may be shared with what stores the conversation and puts another one in its place. */
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

  /** For messages that come from outside a run. */
  append(message: AgentMessage): void {
    this.#conversation.add(message);
  }

  replaceMessages(messages: readonly AgentMessage[]): void {
    this.#conversation.replace(messages);
  }

  /** Claimed before the first await: a host may send two prompts before it reads an answer. */
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
        if (isUsed) throw new Error("A claim is good for one run");
        isUsed = true;
        try {
          await this.#start({ prompt, after }, controller, goIdle);
        } finally {
          goIdle();
          finish();
        }
      },
    };
  }

  prompt(messages: readonly AgentMessage[]): Promise<void> {
    return this.claim().start(messages);
  }

  /** Goes on from the stored conversation. */
  async continue(): Promise<void> {
    const last = this.messages.at(-1);
    if (!last) throw new Error("No messages to continue from");
    const claim = this.claim();
    // A run takes waiting steering by itself when it starts.
    if (last.role !== "assistant" || this.queue.hasSteering) return claim.start([]);
    const followUps = this.queue.takeFollowUp();
    if (followUps.length > 0) return claim.start(followUps);
    claim.release();
    throw new Error("Cannot continue from message role: assistant");
  }

  /** Resolves when nothing of the run is left. Harmless when idle or repeated. `endedBy`: no user wanted it; `agent_end` says why. */
  abort(endedBy?: RunEndedBy): Promise<void> {
    this.#controller?.abort(endedBy && new RunEnded(endedBy));
    return this.#over; // of this run: by the time it resolves a listener may have started the next
  }

  /** Resolves when nothing of the newest run is left; at once when there is none. */
  idle(): Promise<void> {
    return this.#over;
  }

  async #start(beginning: RunBeginning, controller: AbortController, goIdle: () => void): Promise<void> {
    if (controller.signal.aborted) throw new AbortedBeforeStartError();
    const state = { conversation: this.#conversation, queue: this.queue, toolChoice: this.toolChoice };
    const run = new RunContext(this.#deps, state, controller);
    await runAgentLoop(run, beginning, goIdle).finally(() => run.deadline.close());
  }
}
