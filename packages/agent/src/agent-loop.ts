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
import type { RunOutput } from "./output/run-output.ts";
import type { RunContext } from "./run-context.ts";
import { type RunEnd, RunEnded, type RunEnding, RunFault } from "./run-end.ts";
import type { SyntheticSource } from "./tool-result.ts";
import { type LimitVerdict, TurnLimits } from "./turn-limits.ts";
import type { NextStep, Outcome, Tool } from "./types.ts";

const CUT_CALL_TEXT =
  "The answer hit the output limit, so the arguments of this call may be cut off and it was not run. Split the work into smaller calls.";

/** The messages before the answer of a turn. They differ in what an abort does to those not yet announced. */
interface Opening {
  /** Announced anyway, because the prompt was accepted. */
  prompt?: readonly AgentMessage[];
  /** Return to the head of their queue. */
  queued?: { from: "steering" | "followUp"; messages: QueuedMessage[] };
  /** Dropped. */
  added?: readonly AgentMessage[];
}

export interface RunBeginning {
  prompt: readonly AgentMessage[];
  /** Awaited before the prompt is announced. */
  after?: Promise<unknown> | undefined;
}

interface Turn {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  failure?: ProviderFailure;
  choiceLabel?: string;
  /** Why the run ends with this answer, if the model did not fail. */
  fault?: RunFault;
  /** True if the model has to see the results. */
  needsModel: boolean;
}

/**
 * Performs one run: turns until nothing is left. Emits one agent_start and one agent_end. `goIdle` is called in the
 * same step in which the queue is found empty, directly before agent_end, so no accepted message can be stranded in
 * between.
 */
export async function runAgentLoop(run: RunContext, beginning: RunBeginning, goIdle: () => void): Promise<RunEnd> {
  run.emit({ type: "agent_start" });
  const loop = new AgentLoop(run, goIdle);
  return loop.turns(beginning).catch((error: unknown) => loop.breakOff(error));
}

class AgentLoop {
  readonly #run: RunContext;
  readonly #goIdle: () => void;
  readonly #limits = new TurnLimits();
  readonly #output: RunOutput | undefined;
  #model: Model | undefined;
  #tools: readonly Tool[] = [];
  #undeclared: readonly Tool[] = [];
  #turnCount = 0;
  #isTurnOpen = false;
  #isOver = false;

  constructor(run: RunContext, goIdle: () => void) {
    this.#run = run;
    this.#goIdle = goIdle;
    this.#output = run.deps.output?.();
  }

  async turns({ prompt, after }: RunBeginning): Promise<RunEnd> {
    const { signal, state } = this.#run;
    // Its failure is reported to its caller; an abort is detected below.
    if (after) await this.#run.abortable(after).catch(() => {});
    let opening: Opening = { prompt, ...(!signal.aborted && this.#takeQueued("steering")) };
    for (;;) {
      const turn = await this.#turn(opening);
      if (signal.aborted) return this.#end("aborted");
      const { stopReason } = turn.message;
      if (stopReason === "error" || stopReason === "aborted") {
        const step = await this.#next(turn, "failed");
        if (signal.aborted) return this.#end("aborted");
        if (!step) return this.#end(stopReason, turn.fault);
        if (step.kind === "retry") this.#run.withdraw([turn.message, ...turn.toolResults]);
        opening = { added: step.messages ?? [] };
        continue;
      }

      const output = this.#output;
      if (output?.isExhausted) return this.breakOff(new RunFault("output", output.failureText));
      const verdict = this.#judge(turn);
      const owesOutput = output !== undefined && !output.accepted;
      const needsModel = turn.needsModel || verdict.again === true || owesOutput;
      const goesOn = () => needsModel || !state.queue.isEmpty;
      if (verdict.error !== undefined && goesOn()) return this.breakOff(new RunFault("turn_limit", verdict.error));
      const step = await this.#next(turn, goesOn() ? "continues" : "stops");
      if (signal.aborted) return this.#end("aborted");

      // Nothing is awaited from here to the end: checking the queue and going idle are one step.
      if (!goesOn() && !step) return this.#end(stopReason === "length" ? "length" : "stop");
      if (verdict.error !== undefined) return this.breakOff(new RunFault("turn_limit", verdict.error));
      output?.setAside();
      if (output?.isExhausted) return this.breakOff(new RunFault("output", output.failureText));
      const queue = needsModel || state.queue.hasSteering ? "steering" : "followUp";
      const note = [verdict.note, output?.takeNote()].flatMap((text) => (text === undefined ? [] : [this.#note(text)]));
      opening = { ...this.#takeQueued(queue), added: [...(step?.kind === "turn" ? step.messages : []), ...note] };
    }
  }

  /** Ends the run with a last message that says why: a limit, or a fault in an extension point. */
  async breakOff(error: unknown): Promise<RunEnd> {
    if (this.#isOver) throw error; // A listener failed on the last event.
    try {
      if (!this.#isTurnOpen) this.#run.emit({ type: "turn_start" });
      const { message } = await failAnswer(this.#run, this.#asked, error);
      this.#closeTurn(message, [], "rejected");
    } catch {
      // Not even that message can be stored, which was reported when it failed. The run ends anyway.
    }
    return this.#end(this.#run.signal.aborted ? "aborted" : "error", error);
  }

  #end(stopReason: RunStopReason, fault?: unknown): RunEnd {
    this.#isOver = true;
    this.#goIdle();
    const reason: unknown = this.#run.signal.reason;
    const endedBy = endingOf(stopReason, reason, fault);
    const why = stopReason === "aborted" && reason instanceof RunEnded ? reason.why : undefined;
    const { output: accepted, ...summary } = this.#output?.summary ?? {};
    const output = stopReason === "stop" ? accepted : undefined;
    this.#run.emit({
      type: "agent_end",
      messages: [...this.#run.ended.messages],
      stopReason,
      ...((endedBy === "denied" || endedBy === "budget") && { endedBy }),
      ...(output && { output: output.value }),
    });
    return { stopReason, endedBy, ...(why !== undefined && { why }), ...(output && { output }), ...summary };
  }

  async #turn(opening: Opening): Promise<Turn> {
    this.#turnCount += 1;
    this.#run.emit({ type: "turn_start" });
    this.#isTurnOpen = true;
    await this.#announce(opening);
    const { message, failure, isDiscarded, fault } = await this.#answer();
    const choiceLabel = this.#run.state.toolChoice.label;
    const calls = message.content.filter((block) => block.type === "toolCall");
    const { toolResults, needsModel } = await this.#handleCalls(message, calls);
    const isAnswer = message.stopReason === "stop" || message.stopReason === "length";
    if (calls.length === 0 && isAnswer && !this.#run.signal.aborted) this.#output?.takeAnswer(message);
    this.#closeTurn(message, toolResults, failure || this.#run.signal.aborted ? "rejected" : "resolved");
    if (isDiscarded) this.#run.withdraw([message, ...toolResults]); // even if the run is aborted, because the message is stored as aborted
    return {
      message,
      toolResults,
      needsModel,
      ...(failure && { failure }),
      ...(choiceLabel && { choiceLabel }),
      ...(fault && { fault }),
    };
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

  /** Never throws: a failing key lookup or context hook also ends as a message. */
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
      const transform = deps.hooks?.context;
      const messages = transform
        ? await this.#run.abortable(buildContext(state.conversation.messages, transform))
        : state.context.build(state.conversation.messages);
      // Checked again after the last await: no model call may start after an abort.
      if (signal.aborted) throw new Error(ABORTED_TEXT);
      const names = new Set(setup.tools.map((tool) => tool.name));
      const choice = state.toolChoice.take((name) => names.has(name));
      const undeclared = this.#undeclared.map((tool) => tool.name);
      const plan = this.#output?.plan(setup.model, new Set([...names, ...undeclared]));
      const toolChoice = choice ?? (plan?.isForced && plan.tool ? { name: plan.tool.name } : undefined);
      const declared = setup.tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
      const tools = plan?.tool ? [...declared, plan.tool] : declared;
      const systemPrompt = setup.systemPrompt === undefined ? {} : { systemPrompt: setup.systemPrompt };
      const context = { ...systemPrompt, messages, tools };
      return await streamAnswer(this.#run, setup, context, {
        ...(toolChoice !== undefined && { toolChoice }),
        ...(plan?.format && { outputFormat: plan.format }),
        // An extension may return the same message with other content, so nothing can be kept.
        ...(!transform && { memory: state.requests }),
      });
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
    // Loaded with the first call: validating arguments brings in the schema compiler.
    const { ToolBatch, NOT_STARTED_TEXT } = await import("./tool-calls.ts");
    const batch = new ToolBatch(this.#run, calls);
    const refusals: Partial<Record<AssistantMessage["stopReason"], [SyntheticSource, string]>> = {
      error: ["error", `Tool execution failed due to an error: ${message.errorMessage}`],
      aborted: ["aborted", NOT_STARTED_TEXT],
      length: ["length", CUT_CALL_TEXT],
    };
    const refusal = refusals[message.stopReason];
    const output = this.#output;
    if (refusal) {
      if (message.stopReason === "length" && calls.some((call) => output?.isOutputCall(call))) output?.cutCall();
      return { toolResults: await batch.refuse(...refusal), needsModel: message.stopReason === "length" };
    }
    const options = { undeclared: this.#undeclared, output };
    const { results, terminate } = await batch.execute(this.#tools, `batch_${this.#turnCount}`, options);
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
      if (signal.aborted) return undefined; // the caller checks the signal
      throw error;
    }
  }

  #judge({ message }: Turn): LimitVerdict {
    return this.#limits.check(message, this.#run.deps.limits(), this.#output !== undefined);
  }

  #takeQueued(from: "steering" | "followUp"): Pick<Opening, "queued"> {
    const { queue } = this.#run.state;
    return { queued: { from, messages: from === "steering" ? queue.takeSteering() : queue.takeFollowUp() } };
  }

  #note(text: string): AgentMessage {
    return { role: "developer", content: text, attribution: "agent", timestamp: this.#run.deps.clock.now() };
  }
}

function endingOf(stopReason: RunStopReason, reason: unknown, fault: unknown): RunEnding {
  if (stopReason === "aborted") return reason instanceof RunEnded ? reason.endedBy : "abort";
  if (stopReason === "error") return fault instanceof RunFault ? fault.endedBy : "error";
  return stopReason;
}
