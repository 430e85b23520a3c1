import {
  ABORTED_TEXT,
  type AssistantMessage,
  type Model,
  type ProviderFailure,
  type ToolCall,
  type ToolResultMessage,
} from "@pintle/ai";
import { failAnswer, streamAnswer } from "./assistant-turn.ts";
import { buildContext } from "./context.ts";
import type { RunStopReason } from "./events.ts";
import type { QueuedMessage } from "./message-queue.ts";
import type { AgentMessage } from "./messages.ts";
import type { RunContext } from "./run-context.ts";
import { RunEnded } from "./run-ended.ts";
import type { SyntheticSource } from "./tool-result.ts";
import { type LimitVerdict, TurnLimits } from "./turn-limits.ts";
import type { NextStep, Outcome, Tool } from "./types.ts";

const CUT_CALL_TEXT =
  "The answer hit the output limit, so the arguments of this call may be cut off and it was not run. Split the work into smaller calls.";

/** The messages before the answer of a turn. They differ in what an abort does to those not yet announced. */
interface Opening {
  /** Announced all the same: the prompt was accepted. */
  prompt?: readonly AgentMessage[];
  /** Go back to the head of their queue. */
  queued?: { from: "steering" | "followUp"; messages: QueuedMessage[] };
  /** Dropped. */
  added?: readonly AgentMessage[];
}

export interface RunBeginning {
  prompt: readonly AgentMessage[];
  /** What is waited for before the prompt is announced. */
  after?: Promise<unknown> | undefined;
}

interface Turn {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  failure?: ProviderFailure;
  choiceLabel?: string;
  /** The model has to see the results. */
  needsModel: boolean;
}

/**
 * One run: turns until nothing is left. Emits one agent_start and one agent_end. `goIdle` is called in the same step in
 * which the queue is found empty, directly before agent_end, so no accepted message can be stranded in between.
 */
export async function runAgentLoop(run: RunContext, beginning: RunBeginning, goIdle: () => void): Promise<void> {
  run.emit({ type: "agent_start" });
  const loop = new AgentLoop(run, goIdle);
  await loop.turns(beginning).catch((error: unknown) => loop.breakOff(error));
}

class AgentLoop {
  readonly #run: RunContext;
  readonly #goIdle: () => void;
  readonly #limits = new TurnLimits();
  #model: Model | undefined;
  #tools: readonly Tool[] = [];
  #undeclared: readonly Tool[] = [];
  #turnCount = 0;
  #isTurnOpen = false;
  #isOver = false;

  constructor(run: RunContext, goIdle: () => void) {
    this.#run = run;
    this.#goIdle = goIdle;
  }

  async turns({ prompt, after }: RunBeginning): Promise<void> {
    const { signal, state } = this.#run;
    // How it ends is reported where it began; an abort is seen below.
    if (after) await this.#run.abortable(after).catch(() => {});
    let opening: Opening = { prompt, ...(!signal.aborted && this.#takeQueued("steering")) };
    for (;;) {
      const turn = await this.#turn(opening);
      if (signal.aborted) return this.#end("aborted");
      const { stopReason } = turn.message;
      if (stopReason === "error" || stopReason === "aborted") {
        const step = await this.#next(turn, "failed");
        if (signal.aborted) return this.#end("aborted");
        if (!step) return this.#end(stopReason);
        if (step.kind === "retry") this.#run.withdraw([turn.message, ...turn.toolResults]);
        opening = { added: step.messages ?? [] };
        continue;
      }

      const verdict = this.#judge(turn);
      const needsModel = turn.needsModel || verdict.again === true;
      const goesOn = () => needsModel || !state.queue.isEmpty;
      if (verdict.error !== undefined && goesOn()) return this.breakOff(new Error(verdict.error));
      const step = await this.#next(turn, goesOn() ? "continues" : "stops");
      if (signal.aborted) return this.#end("aborted");

      // From here to the end nothing is awaited: looking at the queue and going idle are one step.
      if (!goesOn() && !step) return this.#end(stopReason === "length" ? "length" : "stop");
      if (verdict.error !== undefined) return this.breakOff(new Error(verdict.error));
      const queue = needsModel || state.queue.hasSteering ? "steering" : "followUp";
      const note = verdict.note === undefined ? [] : [this.#note(verdict.note)];
      opening = { ...this.#takeQueued(queue), added: [...(step?.kind === "turn" ? step.messages : []), ...note] };
    }
  }

  /** Ends the run with a last message that says why: a limit, or a fault in what was plugged in. */
  async breakOff(error: unknown): Promise<void> {
    if (this.#isOver) throw error; // who listens broke down at the last event
    try {
      if (!this.#isTurnOpen) this.#run.emit({ type: "turn_start" });
      const { message } = await failAnswer(this.#run, this.#asked, error);
      this.#closeTurn(message, [], "rejected");
    } catch {
      // Not even that message can be stored, which was told where it failed. The run ends all the same.
    }
    this.#end(this.#run.signal.aborted ? "aborted" : "error");
  }

  #end(stopReason: RunStopReason): void {
    this.#isOver = true;
    this.#goIdle();
    const { reason } = this.#run.signal;
    const endedBy = stopReason === "aborted" && reason instanceof RunEnded ? { endedBy: reason.endedBy } : undefined;
    this.#run.emit({ type: "agent_end", messages: [...this.#run.ended.messages], stopReason, ...endedBy });
  }

  async #turn(opening: Opening): Promise<Turn> {
    this.#turnCount += 1;
    this.#run.emit({ type: "turn_start" });
    this.#isTurnOpen = true;
    await this.#announce(opening);
    const { message, failure, isDiscarded } = await this.#answer();
    const choiceLabel = this.#run.state.toolChoice.label;
    const calls = message.content.filter((block) => block.type === "toolCall");
    const { toolResults, needsModel } = await this.#handleCalls(message, calls);
    this.#closeTurn(message, toolResults, failure || this.#run.signal.aborted ? "rejected" : "resolved");
    if (isDiscarded) this.#run.withdraw([message, ...toolResults]); // also when the run is aborted: it is stored as such
    return { message, toolResults, needsModel, ...(failure && { failure }), ...(choiceLabel && { choiceLabel }) };
  }

  async #announce({ prompt = [], queued, added = [] }: Opening): Promise<void> {
    const { signal, state } = this.#run;
    for (const message of prompt) this.#run.announce(await this.#run.finalize(message));
    const waiting = [...(queued?.messages ?? []), ...added];
    let announced = 0;
    for (const message of waiting) {
      const final = await this.#run.finalize(message);
      if (signal.aborted) break;
      this.#run.announce(final);
      announced += 1;
    }
    if (queued) state.queue.putBack(queued.from, queued.messages.slice(announced));
  }

  #closeTurn(message: AssistantMessage, toolResults: ToolResultMessage[], choice: "resolved" | "rejected"): void {
    this.#isTurnOpen = false;
    this.#run.emit({ type: "turn_end", message, toolResults });
    this.#run.state.toolChoice.settle(choice);
  }

  /** Never throws: a failing key look-up or context hook ends as a message too. */
  async #answer() {
    const { deps, state, signal } = this.#run;
    try {
      if (signal.aborted) throw new Error(ABORTED_TEXT);
      if (deps.beforeCall) await this.#run.abortable(deps.beforeCall(signal));
      if (signal.aborted) throw new Error(ABORTED_TEXT);
      const setup = await this.#run.abortable(deps.setup());
      this.#model = setup.model;
      this.#tools = setup.tools;
      this.#undeclared = setup.undeclared ?? [];
      const messages = await this.#run.abortable(buildContext(state.conversation.messages, deps.hooks?.context));
      // Looked at again where nothing is awaited any more: after an abort no model call may start.
      if (signal.aborted) throw new Error(ABORTED_TEXT);
      const names = new Set(setup.tools.map((tool) => tool.name));
      const choice = state.toolChoice.take((name) => names.has(name));
      const tools = setup.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
      const systemPrompt = setup.systemPrompt === undefined ? {} : { systemPrompt: setup.systemPrompt };
      return await streamAnswer(this.#run, setup, { ...systemPrompt, messages, tools }, choice);
    } catch (error) {
      return await failAnswer(this.#run, this.#asked, error);
    }
  }

  get #asked(): Model | undefined {
    return this.#run.deps.model?.() ?? this.#model;
  }

  async #handleCalls(
    message: AssistantMessage,
    calls: readonly ToolCall[],
  ): Promise<Pick<Turn, "toolResults" | "needsModel">> {
    if (calls.length === 0) return { toolResults: [], needsModel: false };
    // Loaded with the first call: checking arguments brings in the schema compiler.
    const { ToolBatch, NOT_STARTED_TEXT } = await import("./tool-calls.ts");
    const batch = new ToolBatch(this.#run, calls);
    const refusals: Partial<Record<AssistantMessage["stopReason"], [SyntheticSource, string]>> = {
      error: ["error", `Tool execution failed due to an error: ${message.errorMessage}`],
      aborted: ["aborted", NOT_STARTED_TEXT],
      length: ["length", CUT_CALL_TEXT],
    };
    const refusal = refusals[message.stopReason];
    if (refusal) return { toolResults: await batch.refuse(...refusal), needsModel: message.stopReason === "length" };
    const { results, terminate } = await batch.execute(this.#tools, `batch_${this.#turnCount}`, this.#undeclared);
    return { toolResults: results, needsModel: !terminate };
  }

  async #next(
    { message, toolResults, failure, choiceLabel }: Turn,
    state: Outcome["state"],
  ): Promise<NextStep | undefined> {
    const { deps, signal } = this.#run;
    if (!deps.next) return undefined;
    const outcome: Outcome = {
      message,
      toolResults,
      state,
      ...(failure && { failure }),
      ...(choiceLabel && { choiceLabel }),
    };
    try {
      return await this.#run.deadline.withinGrace("work", deps.next(outcome, signal));
    } catch (error) {
      if (signal.aborted) return undefined; // the caller looks at the signal
      throw error;
    }
  }

  #judge({ message }: Turn): LimitVerdict {
    return this.#limits.check(message, this.#run.deps.limits());
  }

  #takeQueued(from: "steering" | "followUp"): Pick<Opening, "queued"> {
    const { queue } = this.#run.state;
    return { queued: { from, messages: from === "steering" ? queue.takeSteering() : queue.takeFollowUp() } };
  }

  #note(text: string): AgentMessage {
    return { role: "developer", content: text, attribution: "agent", timestamp: this.#run.deps.clock.now() };
  }
}
