import type { Agent } from "../../../src/agent.ts";
import { buildContext } from "../../../src/context.ts";
import type { AgentEvent } from "../../../src/events.ts";
import type { QueuedMessage } from "../../../src/message-queue.ts";
import type { AgentMessage } from "../../../src/messages.ts";
import type { ToolResult } from "../../../src/types.ts";
import { pairingFaults } from "../pairing.ts";
import type { Execution } from "./gated-tools.ts";

export interface Run {
  isAborted: boolean;
  /** The grace period has passed since the abort: tools may have been abandoned. */
  isGraceTouched: boolean;
  /** Its policy was called and has not answered. */
  isNextOpen: boolean;
  stopReason?: string;
}

export interface Accepted {
  message: QueuedMessage;
  via: "prompt" | "steer" | "followUp" | "step";
  isCleared: boolean;
  isRefused: boolean;
}

/** Records everything that happens, and reports at once what must not happen at that moment. */
export class Chronicle {
  readonly events: AgentEvent[] = [];
  /** Each event as it was when emitted. */
  readonly written: string[] = [];
  readonly runs: Run[] = [];
  readonly accepted: Accepted[] = [];
  readonly executions: Execution[] = [];
  readonly returned: { execution: Execution; result: ToolResult | undefined; isKept: boolean }[] = [];
  readonly faults: string[] = [];
  /** Slow comparisons, to be awaited before the end is judged. */
  readonly comparisons: Promise<void>[] = [];
  readonly #agent: () => Agent;
  #isRequestOpen = false;
  #isBatchOpen = false;
  #isInterrupted = false;

  constructor(agent: () => Agent) {
    this.#agent = agent;
  }

  get run(): Run | undefined {
    return this.runs.at(-1);
  }

  /** Calls in progress that the last run has started. */
  get running(): Execution[] {
    return this.executions.filter(({ isOver, runIndex }) => !isOver && runIndex === this.runs.length - 1);
  }

  fault(text: string): void {
    this.faults.push(`after event ${this.events.length}: ${text}`);
  }

  told(event: AgentEvent): void {
    this.events.push(event);
    this.written.push(writeDown(event));
    if (event.type === "agent_start") this.runs.push({ isAborted: false, isGraceTouched: false, isNextOpen: false });
    if (event.type === "agent_end") this.#ended(event.stopReason);
    if (event.type === "message_start") this.#delivered(event.message);
    if (event.type === "message_end" && event.message.role === "assistant") this.#isRequestOpen = false;
    if (event.type === "tool_execution_start") this.#isBatchOpen = true;
    if (event.type !== "turn_end") return;
    this.#isBatchOpen = false;
    this.#isInterrupted = false;
  }

  timePassed(): void {
    for (const run of this.runs) if (run.isAborted) run.isGraceTouched = true;
  }

  /** With interrupt mode `immediate`, running calls are notified at once, and no other call starts. */
  interrupted(): void {
    if (!this.#isBatchOpen || this.run?.isAborted) return;
    this.#isInterrupted = true;
    for (const { id, tool, call } of this.running) {
      if (!call.steeringSignal.aborted) this.fault(`${id} was not notified of the steering`);
      if (tool === "waiting" && !call.signal.aborted) this.fault(`${id} was not cut short`);
    }
  }

  requested(messages: readonly AgentMessage[]): void {
    if (!this.#agent().isRunning) this.fault("a model call while idle");
    if (this.run?.isAborted) this.fault("a model call after an abort");
    if (this.#isRequestOpen) this.fault("two model calls at once");
    this.#isRequestOpen = true;
    for (const fault of pairingFaults(messages as never)) this.fault(`request: ${fault}`);
    const sent = JSON.stringify(messages);
    this.comparisons.push(
      buildContext(this.#storedMessages()).then((rebuilt) => {
        if (JSON.stringify(rebuilt) !== sent) this.fault("the live context differs from the rebuilt one");
      }),
    );
  }

  askedNext(): Run | undefined {
    const { run } = this;
    if (run?.isAborted) this.fault("next was asked after an abort");
    if (run?.isNextOpen) this.fault("next was asked twice");
    if (run) run.isNextOpen = true;
    return run;
  }

  started(execution: Execution): void {
    const { tool, key, id } = execution;
    if (this.run?.isAborted) this.fault(`${id} starts after an abort`);
    if (this.#isInterrupted) this.fault(`${id} starts although the user has interrupted`);
    const others = this.running;
    if (tool === "exclusive" && others.length > 0) this.fault(`${id} is exclusive, but ${others[0]?.id} runs`);
    if (others.some((other) => other.tool === "exclusive")) this.fault(`${id} runs alongside an exclusive call`);
    if (key !== undefined && others.some((other) => other.key === key)) this.fault(`two calls on ${key}`);
    this.executions.push(execution);
  }

  ended(execution: Execution, result: ToolResult | undefined): void {
    const run = this.runs[execution.runIndex];
    this.returned.push({ execution, result, isKept: run?.isGraceTouched === false });
  }

  #ended(stopReason: string): void {
    const run = this.run as Run;
    const { running } = this;
    run.stopReason = stopReason;
    const faults: [isBroken: boolean, text: string][] = [
      [this.#agent().isRunning, "still running when agent_end is emitted"],
      [
        (stopReason === "stop" || stopReason === "length") && !this.#agent().queue.isEmpty,
        "a message is stranded by a run that ended by itself",
      ],
      [run.isAborted !== (stopReason === "aborted"), `aborted: ${run.isAborted}, but ended as ${stopReason}`],
      [running.length > 0 && !run.isGraceTouched, "a call outlives its run although it was not abandoned"],
      [running.some(({ tool }) => tool === "polite" || tool === "waiting"), "a call was not notified of the abort"],
      [run.isNextOpen && !run.isGraceTouched, "the run did not wait for next"],
    ];
    for (const [isBroken, text] of faults) if (isBroken) this.fault(text);
  }

  #delivered(message: AgentMessage): void {
    if (!this.run?.isAborted) return;
    const via = this.accepted.find((other) => other.message === message)?.via;
    if (via === "steer" || via === "step") this.fault(`${via} after an abort`);
  }

  /** Returns what a recorder has written so far. */
  #storedMessages(): AgentMessage[] {
    return this.events.flatMap((event, index) =>
      event.type === "message_end" ? [(JSON.parse(this.written[index] as string) as typeof event).message] : [],
    );
  }
}

/** An event as a string; an update contains its message twice, which is one object. */
export function writeDown(event: AgentEvent): string {
  return JSON.stringify(event.type === "message_update" ? event.message : event);
}
