import type { UserMessage } from "@pintle/ai";
import { scriptedModelInfo } from "@pintle/ai/testing";
import "../../../src/tool-calls.ts"; // Loaded before the first call, so that loading does not affect the interleaving.
import { AbortedBeforeStartError, Agent, AgentBusyError } from "../../../src/agent.ts";
import type { AgentEvent } from "../../../src/events.ts";
import type { InterruptMode, LoopHooks, NextStep, ToolAuthorizer } from "../../../src/types.ts";
import { FakeClock } from "../fake-clock.ts";
import { microtasks, quiet } from "../quiet.ts";
import { type Accepted, Chronicle } from "./chronicle.ts";
import { gatedModel } from "./gated-model.ts";
import { gatedTools } from "./gated-tools.ts";
import { Gates } from "./gates.ts";
import type { Action, Input, Plan } from "./plan.ts";

const GRACE_MS = 100;
const HOOK_EXTRA_MS = 1_000;

/** An agent whose waits are all controlled by a plan. */
export class World {
  readonly plan: Plan;
  readonly agent: Agent;
  readonly chronicle: Chronicle;
  readonly #clock = new FakeClock();
  readonly #gates = new Gates();
  #interruptMode: InterruptMode = "wait";
  #reactions: Extract<Action, { do: "react" }>[] = [];
  #depth = 0;
  #idCount = 0;
  #promiseCount = 0;

  constructor(plan: Plan) {
    this.plan = plan;
    this.chronicle = new Chronicle(() => this.agent);
    const { chronicle } = this;
    const gates = this.#gates;
    const model = gatedModel({ gates, isDeaf: plan.isDeaf, nextId: () => `c${this.#id()}` });
    const tools = gatedTools({
      gates,
      runIndex: () => chronicle.runs.length - 1,
      onStart: (execution) => chronicle.started(execution),
      onReturn: (execution, result) => chronicle.ended(execution, result),
    });
    const setup = { model: scriptedModelInfo, tools };
    this.agent = new Agent({
      stream: (info, context, options) => {
        chronicle.requested(context.messages);
        return model(info, context, options);
      },
      setup: () => (plan.asyncSetup ? gates.wait("setup", (how) => orThrow(how, 97, setup)) : setup),
      emit: (event) => this.#onEvent(event),
      interruptMode: () => this.#interruptMode,
      limits: () => ({ maxTurns: plan.maxTurns, abortGraceMs: GRACE_MS }),
      clock: this.#clock,
      hooks: gatedHooks(plan.hooks, gates),
      ...(plan.hasAuthorizer && { authorizer: slowAuthorizer(gates) }),
      ...(plan.hasBeforeCall && { beforeCall: () => this.#beforeCall() }),
      ...(plan.hasNext && { next: ({ state }) => this.#next(state === "failed") }),
    });
  }

  async play(): Promise<void> {
    for (const { action, pause } of this.plan.steps) {
      await this.#act(action);
      if (pause === undefined) await quiet();
      else await microtasks(pause);
    }
  }

  /** Lets everything finish normally. */
  async settle(): Promise<void> {
    this.#reactions = [];
    for (let round = 0; round < 500; round += 1) {
      await quiet();
      if (this.#gates.count > 0) this.#gates.complete(0, 80);
      else if (this.#clock.sleeperCount > 0) this.#pass(GRACE_MS);
      else if (!this.agent.isRunning && this.#promiseCount === 0) return;
    }
    this.chronicle.fault("it does not end");
  }

  /** What still waits is delivered with the next prompts. */
  async promptUntilEmpty(): Promise<void> {
    for (let round = 0; !this.agent.queue.isEmpty && round < 50; round += 1) {
      const before = this.agent.queue.count;
      this.#prompt();
      await this.settle();
      if (this.agent.queue.count >= before) this.chronicle.fault("a prompt did not deliver what waited");
    }
  }

  async #act(action: Action): Promise<void> {
    if (action.do === "complete") await this.#complete(action.pick, action.how);
    else if (action.do === "late") this.#beLate(action.pick, action.how);
    else if (action.do === "pass") this.#pass(action.ms);
    else if (action.do === "react") this.#reactions.push(action);
    else if (action.do === "abortAndWait") await this.#abortAndWait();
    else this.#input(action);
  }

  /** If there is nothing to complete, the agent is about to wait or is idle; idle agents are prompted. */
  async #complete(pick: number, how: number): Promise<void> {
    if (this.#gates.count === 0) await quiet();
    if (this.#gates.count > 0) this.#gates.complete(pick, how);
    else if (!this.agent.isRunning) this.#prompt();
  }

  #beLate(pick: number, how: number): void {
    const over = this.chronicle.executions.filter(({ isOver }) => isOver);
    const execution = over[pick % (over.length || 1)];
    if (how === 0) execution?.call.update({ content: [] });
    else execution?.finish({ content: [] });
  }

  #pass(ms: number): void {
    this.chronicle.timePassed();
    this.#clock.advance(ms);
  }

  async #abortAndWait(): Promise<void> {
    this.#gates.completeAll("claim", 50); // the owner of a claim must use it
    const run = this.agent.isRunning ? this.chronicle.run : undefined;
    let isSettled = false;
    this.#watch(
      this.#abort().then(() => {
        isSettled = true;
      }),
    );
    for (const ms of [GRACE_MS, HOOK_EXTRA_MS]) {
      await quiet();
      this.#pass(ms);
    }
    await quiet();
    if (!isSettled) this.chronicle.fault("an abort did not settle in time");
    if (run && run.stopReason === undefined) this.chronicle.fault("an aborted run did not end in time");
  }

  #input(input: Input): void {
    const { queue } = this.agent;
    if (input.do === "steeringMode") queue.steeringMode = input.mode;
    else if (input.do === "followUpMode") queue.followUpMode = input.mode;
    else if (input.do === "interruptMode") this.#interruptMode = input.mode;
    else this.#simpleInputs[input.do]();
  }

  readonly #simpleInputs: Record<Exclude<Input, { mode: string }>["do"], () => void> = {
    prompt: () => this.#prompt(),
    claim: () => this.#claim(),
    steer: () => {
      this.agent.queue.steer(this.#accept("steer").message);
      if (this.#interruptMode === "immediate") this.chronicle.interrupted();
    },
    followUp: () => this.agent.queue.followUp(this.#accept("followUp").message),
    abort: () => this.#watch(this.#abort()),
    clear: () => {
      const cleared = new Set(Object.values(this.agent.queue.clear("steering", "followUp")).flat());
      for (const accepted of this.chronicle.accepted) if (cleared.has(accepted.message)) accepted.isCleared = true;
    },
    continue: () => {
      if (!this.agent.isRunning) this.#watch(this.agent.continue().catch(expectMessage(/continue/)));
    },
    force: () => {
      let rejections = 0;
      this.agent.toolChoice.push({
        label: "force",
        choices: ["required", { name: "shared" }, { name: "gone" }, "none"],
        onRejected: () => {
          rejections += 1;
          return rejections < 2;
        },
      });
    },
  };

  #prompt(): void {
    const accepted = this.#accept("prompt");
    const mayStart = !this.agent.isRunning;
    try {
      const run = this.agent.prompt([accepted.message]);
      if (!mayStart) this.chronicle.fault("a prompt was accepted while running");
      this.#watchPrompt(run, accepted);
    } catch (error) {
      if (mayStart || !(error instanceof AgentBusyError)) throw error;
      accepted.isRefused = true;
    }
  }

  /** Accepted now, started or released later. */
  #claim(): void {
    if (this.agent.isRunning) return;
    const accepted = this.#accept("prompt");
    const claim = this.agent.claim();
    const waiting = this.#gates.wait("claim", (how) => {
      if (how >= 10) return { run: claim.start([accepted.message]) };
      claim.release();
      throw new AbortedBeforeStartError();
    });
    this.#watchPrompt(
      waiting.then(({ run }) => run),
      accepted,
    );
  }

  #watchPrompt(run: Promise<unknown>, accepted: Accepted): void {
    this.#watch(
      run.catch((error: unknown) => {
        if (!(error instanceof AbortedBeforeStartError)) throw error;
        accepted.isRefused = true;
      }),
    );
  }

  #abort(): Promise<void> {
    const { run } = this.chronicle;
    if (run && this.agent.isRunning && !this.#gates.has("claim")) run.isAborted = true;
    return this.agent.abort();
  }

  #next(isFailed: boolean): Promise<NextStep | undefined> {
    const run = this.chronicle.askedNext();
    return this.#gates.wait("next", (how): NextStep | undefined => {
      if (run) run.isNextOpen = false;
      if (how < 12) return { kind: "turn", messages: [this.#accept("step").message] };
      if (how < 40 && isFailed) return { kind: "retry" };
      return orThrow(how, 96, undefined);
    });
  }

  /** Allows the call, ends the run instead, or fails; ignores the signal. */
  #beforeCall(): Promise<void> {
    const { run } = this.chronicle;
    return this.#gates.wait("beforeCall", (how) => {
      if (how < 8 && run && run.stopReason === undefined) {
        run.isAborted = true;
        void this.agent.abort("budget");
      }
      return orThrow(how, 96, undefined);
    });
  }

  #onEvent(event: AgentEvent): void {
    this.chronicle.told(event);
    const reaction = this.#depth < 3 ? this.#reactions.find(({ on }) => on === event.type) : undefined;
    if (!reaction) return;
    this.#reactions = this.#reactions.filter((other) => other !== reaction);
    this.#depth += 1;
    this.#input(reaction.input);
    this.#depth -= 1;
  }

  #accept(via: Accepted["via"]): Accepted {
    const message: UserMessage = { role: "user", content: `m${this.#id()}`, timestamp: this.#clock.now() };
    const accepted: Accepted = { message, via, isCleared: false, isRefused: false };
    this.chronicle.accepted.push(accepted);
    return accepted;
  }

  #watch(promise: Promise<unknown>): void {
    this.#promiseCount += 1;
    void promise
      .catch((error: unknown) => this.chronicle.fault(`rejected: ${String(error)}`))
      .finally(() => {
        this.#promiseCount -= 1;
      });
  }

  #id(): number {
    this.#idCount += 1;
    return this.#idCount;
  }
}

/** Hooks that answer nothing, or fail, when their gate opens. */
function gatedHooks({ messageEnd, toolCall, toolResult }: Plan["hooks"], gates: Gates): LoopHooks {
  const silent = (kind: "messageEnd" | "toolResult") => () => gates.wait(kind, (how) => orThrow(how, 95, undefined));
  return {
    ...(messageEnd && { messageEnd: silent("messageEnd") }),
    ...(toolResult && { toolResult: silent("toolResult") }),
    ...(toolCall && {
      toolCall: () => gates.wait("toolCall", (how) => (how < 10 ? { block: true } : orThrow(how, 95, undefined))),
    }),
  };
}

/** Decides when the plan says so: allows, denies or fails; ignores the signal. */
function slowAuthorizer(gates: Gates): ToolAuthorizer {
  return {
    announce: () => {},
    permit: () => gates.wait("permit", (how) => (how < 20 ? { text: "denied" } : orThrow(how, 95, undefined))),
  };
}

function orThrow<T>(how: number, limit: number, value: T): T {
  if (how >= limit) throw new Error("hook broke");
  return value;
}

function expectMessage(pattern: RegExp): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error) || !pattern.test(error.message)) throw error;
  };
}
