import type { UserMessage } from "@pintle/ai";
import { scriptedModelInfo } from "@pintle/ai/testing";
import "../../../src/tool-calls.ts"; // loaded before the first call, so that its loading is no interleaving
import { AbortedBeforeStartError, Agent, AgentBusyError } from "../../../src/agent.ts";
import { buildContext } from "../../../src/context.ts";
import type { AgentEvent } from "../../../src/events.ts";
import type { QueuedMessage } from "../../../src/message-queue.ts";
import type { AgentMessage } from "../../../src/messages.ts";
import type { InterruptMode, NextStep, ToolResult } from "../../../src/types.ts";
import { FakeClock } from "../fake-clock.ts";
import { pairingFaults } from "../pairing.ts";
import { microtasks, quiet } from "../quiet.ts";
import { gatedModel } from "./gated-model.ts";
import { type Execution, gatedTools } from "./gated-tools.ts";
import { Gates } from "./gates.ts";
import type { Action, Input, Plan } from "./plan.ts";

export const GRACE_MS = 100;

export interface Run {
  isAborted: boolean;
  /** Time passed after the abort: tools may have been left behind by now. */
  isGraceTouched: boolean;
  stopReason?: string;
}

export interface Accepted {
  message: QueuedMessage;
  via: "prompt" | "steer" | "followUp" | "step";
  isCleared: boolean;
  isRefused: boolean;
}

/** An agent, everything it waits for in the hands of a plan, and a record of all that happened. */
export class World {
  readonly agent: Agent;
  readonly clock = new FakeClock();
  readonly gates = new Gates();
  readonly events: AgentEvent[] = [];
  /** Each event as it was when it was told. */
  readonly written: string[] = [];
  readonly runs: Run[] = [];
  readonly accepted: Accepted[] = [];
  readonly executions: Execution[] = [];
  readonly returned: { execution: Execution; result: ToolResult | undefined; isKept: boolean }[] = [];
  readonly faults: string[] = [];
  /** To be awaited before the end is judged. */
  readonly checks: Promise<unknown>[] = [];
  readonly choices: string[] = [];
  readonly plan: Plan;
  #interruptMode: InterruptMode = "wait";
  #reactions: Extract<Action, { do: "react" }>[] = [];
  #openRequests = 0;
  readonly #askedNext = new Set<Run | undefined>();
  #isBatchOpen = false;
  #isInterrupted = false;
  #idCount = 0;
  #waiting = 0;
  #depth = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    const model = gatedModel({ gates: this.gates, isDeaf: plan.isDeaf, nextId: () => `c${this.#id()}` });
    const tools = gatedTools({
      gates: this.gates,
      runIndex: () => this.runs.length - 1,
      onStart: (execution) => this.#onStart(execution),
      onReturn: (execution, result) => this.#onReturn(execution, result),
    });
    const setup = { model: scriptedModelInfo, tools };
    this.agent = new Agent({
      stream: (...request) => {
        this.#onRequest(request[1].messages as never);
        const stream = model(...request);
        return stream;
      },
      setup: () => (plan.asyncSetup ? this.gates.wait("setup", (how) => this.#orThrow(how, 97, setup)) : setup),
      emit: (event) => this.#onEvent(event),
      interruptMode: () => this.#interruptMode,
      limits: () => ({ maxTurns: plan.maxTurns, maxIdenticalCalls: 0, abortGraceMs: GRACE_MS }),
      clock: this.clock,
      hooks: {
        ...(plan.hooks.messageEnd && {
          messageEnd: () => this.gates.wait("messageEnd", (how) => this.#orThrow(how, 95)),
        }),
        ...(plan.hooks.toolCall && {
          toolCall: () => this.gates.wait("toolCall", (how) => (how < 10 ? { block: true } : this.#orThrow(how, 95))),
        }),
        ...(plan.hooks.toolResult && {
          toolResult: () => this.gates.wait("toolResult", (how) => this.#orThrow(how, 95)),
        }),
      },
      ...(plan.hasNext && {
        next: ({ state }) => {
          if (this.currentRun?.isAborted) this.fault("next was asked after an abort");
          const run = this.currentRun;
          this.#askedNext.add(run);
          return this.gates.wait("next", (how) => {
            this.#askedNext.delete(run);
            return this.#nextStep(how, state === "failed");
          });
        },
      }),
    });
  }

  get currentRun(): Run | undefined {
    return this.runs.at(-1);
  }

  fault(text: string): void {
    this.faults.push(`after event ${this.events.length}: ${text}`);
  }

  async play(): Promise<void> {
    for (const { action, pause } of this.plan.steps) {
      await this.#act(action);
      if (pause === undefined) await quiet();
      else await microtasks(pause);
    }
  }

  /** What still waits goes out with the prompts that follow. */
  async promptUntilEmpty(): Promise<void> {
    for (let round = 0; !this.agent.queue.isEmpty && round < 50; round += 1) {
      const before = this.agent.queue.count;
      this.#prompt();
      await this.settle();
      if (this.agent.queue.count >= before) this.fault("a prompt did not deliver what waited");
    }
  }

  /** Lets everything come to a good end. */
  async settle(): Promise<void> {
    this.#reactions = [];
    for (let round = 0; round < 500; round += 1) {
      await quiet();
      if (this.gates.count > 0) this.gates.complete(0, 80);
      else if (this.clock.sleeperCount > 0) this.#pass(GRACE_MS);
      else if (!this.agent.isRunning && this.#waiting === 0) return;
    }
    this.fault("it does not come to an end");
  }

  /** Calls in progress that the last run has started, by the world's own account. */
  running(): Execution[] {
    return this.executions.filter(({ isOver, runIndex }) => !isOver && runIndex === this.runs.length - 1);
  }

  async #act(action: Action): Promise<void> {
    switch (action.do) {
      case "complete":
        await this.#complete(action.pick, action.how);
        break;
      case "late": {
        const over = this.executions.filter(({ isOver }) => isOver);
        const execution = over[action.pick % (over.length || 1)];
        if (action.how === 0) execution?.call.update({ content: [] });
        else execution?.finish({ content: [] });
        break;
      }
      case "pass":
        this.#pass(action.ms);
        break;
      case "react":
        this.#reactions.push(action);
        break;
      case "abortAndWait":
        await this.#abortAndWait();
        break;
      default:
        this.#input(action);
    }
  }

  /** Without anything to complete the agent is on its way to a wait, or idle; idle agents are prompted. */
  async #complete(pick: number, how: number): Promise<void> {
    if (this.gates.count === 0) await quiet();
    if (this.gates.count > 0) this.gates.complete(pick, how);
    else if (!this.agent.isRunning) this.#prompt();
  }

  #input(input: Input): void {
    const { queue } = this.agent;
    switch (input.do) {
      case "prompt":
        this.#prompt();
        break;
      case "claim":
        if (!this.agent.isRunning) this.#claim();
        break;
      case "steer":
        this.#steer();
        break;
      case "followUp":
        queue.followUp(this.#accept("followUp").message);
        break;
      case "abort":
        this.#watch(this.#abort());
        break;
      case "clear":
        this.#clear();
        break;
      case "continue":
        if (!this.agent.isRunning) this.#watch(this.agent.continue().catch(expectMessage(/continue/)));
        break;
      case "force":
        this.#force();
        break;
      case "steeringMode":
        queue.steeringMode = input.mode;
        break;
      case "followUpMode":
        queue.followUpMode = input.mode;
        break;
      case "interruptMode":
        this.#interruptMode = input.mode;
        break;
    }
  }

  /** Accepted now, started or given back later. */
  #claim(): void {
    const accepted = this.#accept("prompt");
    const claim = this.agent.claim();
    const waiting = this.gates.wait("claim", (how) => {
      if (how >= 10) return claim.start([accepted.message]);
      claim.release();
      throw new AbortedBeforeStartError();
    });
    this.#watchPrompt(
      waiting.then((run) => run),
      accepted,
    );
  }

  /** With interrupt mode `immediate`, whoever runs is told at once. */
  #steer(): void {
    const isInBatch = this.#isBatchOpen && this.#interruptMode === "immediate";
    this.agent.queue.steer(this.#accept("steer").message);
    if (!isInBatch || this.currentRun?.isAborted) return;
    this.#isInterrupted = true;
    for (const { id, tool, call } of this.running()) {
      if (!call.steeringSignal.aborted) this.fault(`${id} was not told of the steering`);
      if (tool === "waiting" && !call.signal.aborted) this.fault(`${id} was not cut short`);
    }
  }

  #clear(): void {
    const cleared = new Set(Object.values(this.agent.queue.clear("steering", "followUp")).flat());
    for (const accepted of this.accepted) if (cleared.has(accepted.message)) accepted.isCleared = true;
  }

  #force(): void {
    this.agent.toolChoice.push({
      label: "force",
      choices: ["required", { name: "shared" }, { name: "gone" }, "none"],
      onResolved: () => void this.choices.push("resolved"),
      onRejected: () => this.choices.push("rejected") % 2 === 0,
    });
  }

  #prompt(): void {
    const accepted = this.#accept("prompt");
    const mayStart = !this.agent.isRunning;
    try {
      const run = this.agent.prompt([accepted.message]);
      if (!mayStart) this.fault("a prompt was accepted while running");
      this.#watchPrompt(run, accepted);
    } catch (error) {
      if (mayStart || !(error instanceof AgentBusyError)) throw error;
      accepted.isRefused = true;
    }
  }

  #watchPrompt(run: Promise<void>, accepted: Accepted): void {
    this.#watch(
      run.catch((error: unknown) => {
        if (!(error instanceof AbortedBeforeStartError)) throw error;
        accepted.isRefused = true;
      }),
    );
  }

  #abort(): Promise<void> {
    if (this.agent.isRunning && !this.gates.has("claim") && this.currentRun) this.currentRun.isAborted = true;
    return this.agent.abort();
  }

  async #abortAndWait(): Promise<void> {
    this.gates.completeAll("claim", 50); // who holds a claim must use it
    const run = this.currentRun;
    const isRunning = this.agent.isRunning;
    let isSettled = false;
    this.#watch(
      this.#abort().then(() => {
        isSettled = true;
      }),
    );
    // The messageEnd hook has a time limit of its own (the session's), so it always answers.
    const letHooksAnswer = async () => {
      do await quiet();
      while (this.gates.completeAll("messageEnd", 50));
    };
    await letHooksAnswer();
    this.#pass(GRACE_MS);
    await letHooksAnswer();
    if (!isSettled) this.fault("an abort did not settle within the time of grace");
    if (isRunning && run && run.stopReason === undefined)
      this.fault("an aborted run did not end within the time of grace");
  }

  #pass(ms: number): void {
    for (const run of this.runs) if (run.isAborted) run.isGraceTouched = true;
    this.clock.advance(ms);
  }

  #onEvent(event: AgentEvent): void {
    this.events.push(event);
    this.written.push(writeDown(event));
    if (event.type === "agent_start") this.runs.push({ isAborted: false, isGraceTouched: false });
    if (event.type === "agent_end") this.#onRunEnd(event.stopReason);
    if (event.type === "message_start") this.#onDelivery(event.message);
    if (event.type === "tool_execution_start") this.#isBatchOpen = true;
    if (event.type === "turn_end") {
      this.#isBatchOpen = false;
      this.#isInterrupted = false;
    }
    if (event.type === "message_end" && event.message.role === "assistant") this.#openRequests = 0;
    this.#depth += 1;
    const reaction = this.#depth < 4 ? this.#reactions.find(({ on }) => on === event.type) : undefined;
    if (reaction) {
      this.#reactions = this.#reactions.filter((other) => other !== reaction);
      this.#input(reaction.input);
    }
    this.#depth -= 1;
  }

  #onRunEnd(stopReason: string): void {
    const run = this.currentRun as Run;
    run.stopReason = stopReason;
    if (this.agent.isRunning) this.fault("still running when agent_end is told");
    const isNatural = stopReason === "stop" || stopReason === "length";
    if (isNatural && !this.agent.queue.isEmpty) this.fault("a message is stranded by a run that ended by itself");
    if (run.isAborted !== (stopReason === "aborted"))
      this.fault(`aborted: ${run.isAborted}, but ended as ${stopReason}`);
    const left = this.running();
    if (left.length > 0 && !run.isAborted) this.fault("a call outlives its run");
    if (left.some(({ tool }) => tool === "polite" || tool === "waiting"))
      this.fault("a call was not told of the abort");
    if (left.length > 0 && !run.isGraceTouched) this.fault("a call was left behind before its time of grace was over");
    if (this.#askedNext.has(run) && !run.isGraceTouched) this.fault("the run did not wait for next");
  }

  #onDelivery(message: AgentMessage): void {
    if (!this.currentRun?.isAborted) return;
    const accepted = this.accepted.find((other) => other.message === message);
    if (accepted && accepted.via !== "prompt" && accepted.via !== "followUp")
      this.fault(`${accepted.via} after an abort`);
  }

  #onRequest(messages: readonly AgentMessage[]): void {
    if (!this.agent.isRunning) this.fault("a model call while idle");
    if (this.currentRun?.isAborted) this.fault("a model call after an abort");
    if (this.#openRequests > 0) this.fault("two model calls at once");
    this.#openRequests += 1;
    for (const fault of pairingFaults(messages as never)) this.fault(`request: ${fault}`);
    const stored = this.#storedMessages();
    const sent = JSON.stringify(messages);
    this.checks.push(
      buildContext(stored).then((rebuilt) => {
        if (JSON.stringify(rebuilt) !== sent) this.fault("the live context differs from the rebuilt one");
      }),
    );
  }

  /** What a recorder has written so far, read back. */
  #storedMessages(): AgentMessage[] {
    return this.events.flatMap((event, index) =>
      event.type === "message_end" ? [(JSON.parse(this.written[index] as string) as typeof event).message] : [],
    );
  }

  #onStart(execution: Execution): void {
    const { tool, key, id } = execution;
    if (this.currentRun?.isAborted) this.fault(`${id} starts after an abort`);
    if (this.#isInterrupted) this.fault(`${id} starts although the user has interrupted`);
    const others = this.running();
    if (tool === "exclusive" && others.length > 0) this.fault(`${id} is exclusive, but ${others[0]?.id} runs`);
    if (others.some((other) => other.tool === "exclusive")) this.fault(`${id} runs beside an exclusive call`);
    if (key !== undefined && others.some((other) => other.key === key)) this.fault(`two calls on ${key}`);
    this.executions.push(execution);
  }

  #onReturn(execution: Execution, result: ToolResult | undefined): void {
    const run = this.runs[execution.runIndex];
    this.returned.push({ execution, result, isKept: run?.isGraceTouched === false });
  }

  #nextStep(how: number, isFailed: boolean): NextStep | undefined {
    if (how < 12) return { kind: "turn", messages: [this.#accept("step").message] };
    if (how < 40 && isFailed) return { kind: "retry" };
    return this.#orThrow(how, 96);
  }

  /** Most hooks answer nothing; a few fail. */
  #orThrow<T>(how: number, limit: number, value?: T): T {
    if (how >= limit) throw new Error("hook broke");
    return value as T;
  }

  #accept(via: Accepted["via"]): Accepted {
    const message: UserMessage = { role: "user", content: `m${this.#id()}`, timestamp: this.clock.now() };
    const accepted: Accepted = { message, via, isCleared: false, isRefused: false };
    this.accepted.push(accepted);
    return accepted;
  }

  #watch(promise: Promise<unknown>): void {
    this.#waiting += 1;
    this.checks.push(
      promise
        .catch((error: unknown) => this.fault(`rejected: ${String(error)}`))
        .finally(() => {
          this.#waiting -= 1;
        }),
    );
  }

  #id(): number {
    this.#idCount += 1;
    return this.#idCount;
  }
}

/** An event as text; an update has its message twice, which is one object. */
export function writeDown(event: AgentEvent): string {
  return JSON.stringify(event.type === "message_update" ? event.message : event);
}

function expectMessage(pattern: RegExp): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error) || !pattern.test(error.message)) throw error;
  };
}
