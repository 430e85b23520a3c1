import type { AgentEvent, AgentMessage, Clock, NextStep, Outcome } from "@pintle/agent";
import { hasKnownPrice, type Model, type Usage, unlessAborted } from "@pintle/ai";
import { SessionError, type SessionManager } from "@pintle/storage";
import {
  type AgentSessionEvent,
  BUDGET_LIMITS,
  type BudgetAmounts,
  type BudgetLimit,
  type BudgetState,
  type BudgetUsed,
} from "@pintle/wire";
import type { Settings } from "../../config/settings/settings.ts";
import { facetsOf } from "../../tools/tool-facets.ts";
import type { AttachedHost } from "../attached-host.ts";
import type { LimitUse } from "../budgets/budget.ts";
import { type Budget, type BudgetOptions, leftOf, limitsUsed, raised, readBudget, WARN_AT } from "../budgets/budget.ts";
import type { FamilyBudget } from "../budgets/family-budget.ts";
import { RunProgress } from "../budgets/run-progress.ts";
import { Spending } from "../budgets/spending.ts";
import { Stopwatch } from "../budgets/stopwatch.ts";
import type { ModelState } from "../models/model-state.ts";
import type { RestoreCause, RunPolicy } from "./policy.ts";

export interface BudgetPolicyParts {
  settings: Pick<Settings, "get">;
  host: Pick<AttachedHost, "waitForBudget" | "raisesBudgets">;
  clock: Clock;
  models: Pick<ModelState, "current">;
  manager(): SessionManager;
  /** Ends the active run because its budget is used up. `why` is a clause that names the limit. */
  endRun(why: string): void;
  emit(event: AgentSessionEvent): void;
  /** Of a subagent: the budget of its family. It then has none of its own. */
  family?: FamilyBudget | undefined;
  /** Whether a result reports usage that subagents have counted already. */
  isCounted?(message: AgentMessage): boolean;
}

const REPEAT_NOTE =
  "You have made the same tool call with the same arguments several times in a row. It will not give another result: try something else, or answer.";

/** Counts what runs use. Starts no model call beyond a limit, or for a model that makes no progress. */
export class BudgetPolicy implements RunPolicy {
  readonly name = "budget";
  readonly #parts: BudgetPolicyParts;
  readonly #runTime: Stopwatch;
  readonly #sessionTime: Stopwatch;
  readonly #progress: RunProgress;
  readonly #warned = new Set<BudgetLimit>();
  #budget: Budget | undefined;
  #run = new Spending();
  /** What the session has used. Computed only when a budget needs it, because it reads every entry. */
  #session: Spending | undefined;
  #isRunning = false;
  /** The wait for a higher limit, which a session and its subagents share. */
  #pause: Promise<void> | undefined;
  /** Fires when the budget changes. */
  #changed = new AbortController();
  #alarm = new AbortController();

  constructor(parts: BudgetPolicyParts) {
    this.#parts = parts;
    this.#progress = new RunProgress({
      limit: (setting) => parts.settings.get(setting),
      polls: (tool) => facetsOf(tool).polls === true,
    });
    const now = () => parts.clock.now();
    this.#runTime = new Stopwatch(now);
    this.#sessionTime = new Stopwatch(now);
  }

  get state(): BudgetState | undefined {
    return this.#budget && this.#stateOf(this.#budget);
  }

  set(wish: BudgetOptions): BudgetState | undefined {
    const budget = readBudget(wish);
    requirePrice(budget, this.#parts.models.current);
    this.#warned.clear();
    this.#replace(budget);
    return this.state;
  }

  raise(totals: BudgetAmounts): BudgetState {
    const { ofRun, ofBudget } = this.#split(totals);
    const isForBudget = BUDGET_LIMITS.some((limit) => ofBudget[limit] !== undefined);
    if (!this.#budget && (isForBudget || !ofRun)) {
      throw new SessionError("invalid_request", "There is no budget to raise");
    }
    const budget = this.#budget && (isForBudget || !ofRun) ? raised(this.#budget, ofBudget) : this.#budget;
    if (ofRun) this.#progress.raise(ofRun);
    for (const limit of BUDGET_LIMITS) if (ofBudget[limit] !== undefined) this.#warned.delete(limit);
    this.#replace(budget);
    const state = this.#stateOf(budget ?? NO_BUDGET);
    return ofRun ? { ...state, left: { ...state.left, ...this.#progress.left(ofRun) } } : state;
  }

  /**
   * Splits new totals into limits of the active run and limits of the budget. `turns` belongs to the run unless the
   * budget has that limit.
   */
  #split({ identicalCalls, ...totals }: BudgetAmounts): { ofRun?: BudgetAmounts; ofBudget: BudgetAmounts } {
    if (identicalCalls !== undefined && !this.#isRunning) {
      throw new SessionError("invalid_request", "identicalCalls is a limit of a run, and no run is active");
    }
    const { turns, ...others } = totals;
    const asksForInput = this.#isRunning && this.#progress.max("turns") > 0;
    const isOfRun = turns !== undefined && this.#budget?.max.turns === undefined && asksForInput;
    // Raising a budget's limit on turns far enough also answers the question for input.
    const isOfBoth = turns !== undefined && !isOfRun && asksForInput && turns > this.#progress.max("turns");
    const ofRun = {
      ...(identicalCalls !== undefined && { identicalCalls }),
      ...((isOfRun || isOfBoth) && { turns }),
    };
    return { ...(Object.keys(ofRun).length > 0 && { ofRun }), ofBudget: isOfRun ? others : totals };
  }

  /** Throws if a limit on cost cannot be enforced with this model. */
  requirePrice(model: Model): void {
    this.#parts.family?.requirePrice(model);
    requirePrice(this.#budget, model);
  }

  /** Checks a model call outside the turns, for a summary. Throws if it is not allowed. */
  requireRoom(model: Model): void {
    this.#parts.family?.requireRoom(model);
    const budget = this.#budget;
    if (!budget) return;
    requirePrice(budget, model);
    if (budget.scope === "run" && !this.#isRunning) return;
    const [reached] = limitsUsed(budget, this.#used(budget), 1);
    if (reached) throw new SessionError("invalid_request", `The budget is used up: ${describeUse(reached)}`);
  }

  /** Adds the usage of a model call outside the turns. */
  addUsage(usage: Usage): void {
    this.#parts.family?.addUsage(usage);
    this.#run.addUsage(usage);
    this.#session?.addUsage(usage);
    this.#warn();
  }

  /** Returns what a subagent counts with that the active run starts: it belongs to that run until it ends. */
  forSubagent(): FamilyBudget {
    const run = this.#run;
    const isActive = () => this.#isRunning && this.#run === run;
    const add = (change: (spending: Spending) => void) => {
      change(run);
      if (this.#session) change(this.#session);
      this.#warn();
    };
    return {
      requirePrice: (model) => this.requirePrice(model),
      requireRoom: (model) => this.requireRoom(model),
      beforeCall: async (signal, endRun) => {
        const reached = () => {
          const [use] = this.#budget ? limitsUsed(this.#budget, this.#used(this.#budget, run), 1) : [];
          return use;
        };
        await this.#passLimits(signal, reached, (use) => {
          if (isActive()) this.#endRun(use);
          endRun(endText(use));
        });
      },
      addMessage: (message) => add((spending) => spending.addMessage(message)),
      addNestedCall: () => add((spending) => spending.addNestedCall()),
      addUsage: (usage) => add((spending) => spending.addUsage(usage)),
    };
  }

  prepare(): void {
    this.#run = new Spending();
    this.#progress.reset();
    this.#runTime.reset();
    this.#isRunning = true;
    if (this.#budget?.scope === "run") this.#warned.clear();
  }

  async beforeRun(): Promise<void> {
    this.requirePrice(this.#parts.models.current);
  }

  before(event: AgentEvent): void {
    if (event.type === "agent_start") this.#startTime();
    this.#progress.observe(event);
    // Count before the message is stored: a listener that sets a budget counts everything stored so far.
    if (event.type === "message_end" && !this.#parts.isCounted?.(event.message)) {
      this.#parts.family?.addMessage(event.message);
      this.#run.addMessage(event.message);
      this.#session?.addMessage(event.message);
    }
    if (event.type === "tool_execution_start" && event.parentToolCallId !== undefined) {
      this.#parts.family?.addNestedCall();
      this.#run.addNestedCall();
      this.#session?.addNestedCall();
    }
    if (event.type !== "agent_end") return;
    this.#stopTime();
    this.#isRunning = false;
  }

  after(event: AgentEvent): void {
    if (event.type === "message_end") this.#warn();
  }

  /**
   * Checks the limits before each model call. Ends the run if one is reached; an error that it throws fails the call.
   */
  async beforeCall(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    this.requirePrice(this.#parts.models.current);
    const { family, endRun } = this.#parts;
    if (family) await family.beforeCall(signal, endRun);
    if (signal.aborted) return;
    this.#notifyUnattended();
    await this.#passLimits(
      signal,
      () => this.#reached(),
      (use) => this.#endRun(use),
    );
  }

  async #passLimits(
    signal: AbortSignal,
    limit: () => LimitUse | undefined,
    end: (use: LimitUse) => void,
  ): Promise<void> {
    for (let reached = limit(); reached; reached = limit()) {
      if (this.#pause) await unlessAborted(this.#pause, signal);
      else if (await this.#stopAt(reached, signal, end)) return;
      if (signal.aborted) return;
    }
  }

  /** Waits until a limit is raised, or ends the run and returns true. Others wait until that is decided. */
  async #stopAt(reached: LimitUse, signal: AbortSignal, end: (use: LimitUse) => void): Promise<boolean> {
    const decided = Promise.withResolvers<void>();
    this.#pause = decided.promise;
    try {
      const isPause = reached.reason !== undefined || this.#budget?.onReached === "pause";
      const { signal: changed } = this.#changed;
      this.#warn();
      this.#parts.emit({ type: "budget_reached", ...reached });
      if (isPause) await this.#waitForMore(reached, signal, changed);
      if (signal.aborted || changed.aborted) return false; // a listener may have changed it, too
      if (reached.reason === "no_progress" && !this.#parts.host.raisesBudgets) throw new Error(this.#progress.stopText);
      end(reached);
      return true;
    } finally {
      this.#pause = undefined;
      decided.resolve();
    }
  }

  /** Sends the model a note and hosts a notice, once per streak of repeated calls. */
  readonly next = async ({ state }: Outcome): Promise<NextStep | undefined> => {
    const message = state === "continues" ? this.#progress.takeRepetition() : undefined;
    if (message === undefined) return undefined;
    this.#parts.emit({ type: "notice", level: "warning", message, source: "budget", code: "no_progress" });
    const timestamp = this.#parts.clock.now();
    return { kind: "turn", messages: [{ role: "developer", content: REPEAT_NOTE, attribution: "agent", timestamp }] };
  };

  /** Keeps the limits, and counts what the conversation that is now open has used. */
  restore(cause: RestoreCause): void {
    this.#warned.clear();
    if (cause !== "moved") this.#sessionTime.reset();
    this.#countSession();
  }

  close(): void {
    this.#alarm.abort();
  }

  /** Waits until the limit is raised or the wait ends. This time does not count. */
  async #waitForMore(reached: LimitUse, signal: AbortSignal, changed: AbortSignal): Promise<void> {
    this.#stopTime();
    await this.#parts.host.waitForBudget(reached, AbortSignal.any([signal, changed]));
    if (!signal.aborted || this.#isRunning) this.#startTime(); // a subagent may be aborted, and the run continues
  }

  #replace(budget: Budget | undefined): void {
    this.#budget = budget;
    this.#countSession();
    this.#setAlarm();
    const changed = this.#changed;
    this.#changed = new AbortController();
    changed.abort();
  }

  #countSession(): void {
    const isNeeded = this.#budget?.scope === "session";
    this.#session = isNeeded ? Spending.of(this.#parts.manager().path()) : undefined;
  }

  #used({ scope }: Budget, run = this.#run): BudgetUsed {
    if (scope === "session") return (this.#session ?? run).used(this.#sessionTime.elapsedMs);
    return run.used(run === this.#run ? this.#runTime.elapsedMs : 0); // the time of a run ends with it
  }

  #stateOf(budget: Budget): BudgetState {
    const used = this.#used(budget);
    return { scope: budget.scope, onReached: budget.onReached, used, left: leftOf(budget, used) };
  }

  #reached(): LimitUse | undefined {
    const [ofBudget] = this.#budget ? limitsUsed(this.#budget, this.#used(this.#budget), 1) : [];
    return ofBudget ?? this.#progress.reached(this.#parts.host.raisesBudgets);
  }

  /** Emits a notice if the host cannot be asked. */
  #notifyUnattended(): void {
    if (this.#parts.host.raisesBudgets) return;
    const message = this.#progress.takeUnattended();
    if (message === undefined) return;
    this.#parts.emit({ type: "notice", level: "warning", message, source: "budget", code: "no_input" });
  }

  /** Warns once per limit. */
  #warn(): void {
    if (!this.#budget) return;
    for (const use of limitsUsed(this.#budget, this.#used(this.#budget), WARN_AT)) {
      if (this.#warned.has(use.limit)) continue;
      this.#warned.add(use.limit);
      this.#parts.emit({ type: "budget_warning", ...use });
    }
  }

  #startTime(): void {
    this.#runTime.start();
    this.#sessionTime.start();
    this.#setAlarm();
  }

  #stopTime(): void {
    this.#runTime.stop();
    this.#sessionTime.stop();
    this.#alarm.abort();
  }

  #setAlarm(): void {
    this.#alarm.abort();
    const maxMs = this.#budget?.max.wallMs;
    if (maxMs === undefined || !this.#runTime.isRunning) return;
    this.#alarm = new AbortController();
    void this.#watchTime(maxMs, this.#alarm.signal); // a delay that is aborted resolves, and the emitter throws nothing
  }

  /**
   * Watches the time, even during tool calls: a tool that runs at the limit is ended unless the host may grant more
   * time.
   */
  async #watchTime(maxMs: number, signal: AbortSignal): Promise<void> {
    const time = this.#budget?.scope === "session" ? this.#sessionTime : this.#runTime;
    for (const part of [WARN_AT, 1]) {
      while (!signal.aborted && time.elapsedMs < maxMs * part) {
        await this.#parts.clock.delay(Math.ceil(maxMs * part - time.elapsedMs), signal);
      }
      if (signal.aborted) return;
      this.#warn();
    }
    const budget = this.#budget;
    if (budget?.onReached !== "stop") return;
    const use = limitsUsed(budget, this.#used(budget), 1).find(({ limit }) => limit === "wallMs");
    if (!use) return;
    this.#parts.emit({ type: "budget_reached", ...use });
    if (!signal.aborted) this.#endRun(use); // a listener may have changed the budget
  }

  /** Ends the run and stops watching its time, so that it ends once. */
  #endRun(use: LimitUse): void {
    this.#alarm.abort();
    this.#parts.endRun(endText(use));
  }
}

const endText = (use: LimitUse) => `the budget is used up: ${describeUse(use)}`;

/** The budget of a run whose own limits were raised. */
const NO_BUDGET: Budget = { max: {}, scope: "run", onReached: "pause", ignoresUnknownCost: false };

function requirePrice(budget: Budget | undefined, model: Model): void {
  if (budget?.max.costUsd === undefined || budget.ignoresUnknownCost || hasKnownPrice(model)) return;
  throw new SessionError(
    "invalid_request",
    `The price of ${model.provider}/${model.id} is not known, so a limit on cost cannot be enforced. Give it a "cost" in models.json, or set costUnknown to "ignore".`,
  );
}

function describeUse({ limit, used, max, scope }: LimitUse): string {
  return `${limit} ${used} of ${max} (${scope})`;
}
