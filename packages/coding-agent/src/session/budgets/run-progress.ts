import type { AgentEvent, AgentMessage } from "@pintle/agent";
import { SessionError } from "@pintle/storage";
import type { BudgetAmounts } from "@pintle/wire";
import type { LimitUse } from "./budget.ts";
import { RepeatedCalls, type Repetition } from "./repeated-calls.ts";

const ROUNDS_UNTIL_NOTE = 5;

/** The settings that limit a run without a budget. */
const SETTINGS = { identicalCalls: "agent.maxIdenticalCalls", turns: "agent.askAfterTurns" } as const;
type RunLimit = keyof typeof SETTINGS;
const RUN_LIMITS: readonly RunLimit[] = ["identicalCalls", "turns"];

export interface RunProgressParts {
  /** Returns the value of a limit; 0 means no limit. */
  limit(setting: (typeof SETTINGS)[RunLimit]): number;
  /** Whether a tool is meant to be called repeatedly. */
  polls(tool: string): boolean;
}

/** Watches one run for a model that repeats itself, and for many turns without user input. */
export class RunProgress {
  readonly #parts: RunProgressParts;
  readonly #calls: RepeatedCalls;
  #repetition: Repetition = { rounds: 1, tools: [] };
  #hasNote = false;
  #turns = 0;
  #isUnattendedReported = false;
  /** Limits that a host has raised, until the next user message. */
  #raised: Partial<Record<RunLimit, number>> = {};

  constructor(parts: RunProgressParts) {
    this.#parts = parts;
    this.#calls = new RepeatedCalls(parts.polls);
  }

  /** Resets the counts, at the start of a run and with each user message in it. */
  reset(): void {
    this.#calls.reset();
    this.#setRepetition({ rounds: 1, tools: [] });
    this.#turns = 0;
    this.#isUnattendedReported = false;
    this.#raised = {};
  }

  observe(event: AgentEvent): void {
    if (event.type === "message_end" && isUserInput(event.message)) this.reset();
    if (event.type !== "turn_end" || event.message.role !== "assistant") return;
    this.#turns += 1;
    const { stopReason } = event.message;
    if (stopReason === "error" || stopReason === "aborted") return; // an attempt, not an answer
    this.#setRepetition(this.#calls.add(event.message, event.toolResults));
  }

  max(limit: RunLimit): number {
    return this.#raised[limit] ?? this.#parts.limit(SETTINGS[limit]);
  }

  /**
   * Returns the limit that must be raised before the next model call. The limit on turns is a question, so it needs a
   * host that can answer.
   */
  reached(isAnswered: boolean): LimitUse | undefined {
    if (this.#isUsedUp("identicalCalls")) return this.#use("identicalCalls", "no_progress");
    if (isAnswered && this.#isUsedUp("turns")) return this.#use("turns", "no_input");
    return undefined;
  }

  /** Sets new limits. Throws before anything changes. */
  raise(totals: BudgetAmounts): void {
    const wanted = RUN_LIMITS.flatMap((limit) => {
      const total = totals[limit];
      return total === undefined ? [] : [{ limit, total }];
    });
    for (const { limit, total } of wanted) {
      const before = this.max(limit);
      if (before === 0) throw refusal(`The run has no limit ${limit}: ${SETTINGS[limit]} is 0`);
      if (!Number.isInteger(total) || total <= 0) throw refusal(`${limit} must be an integer above 0`);
      if (total < before) throw refusal(`${limit} must be at least ${before}`);
    }
    for (const { limit, total } of wanted) this.#raised[limit] = total;
  }

  left(limits: BudgetAmounts): BudgetAmounts {
    const named = RUN_LIMITS.filter((limit) => limits[limit] !== undefined);
    return Object.fromEntries(named.map((limit) => [limit, Math.max(0, this.max(limit) - this.#used(limit))]));
  }

  /** Returns the text of a notice once per streak, when the model should learn that it repeats itself. */
  takeRepetition(): string | undefined {
    if (this.#hasNote || this.#repetition.rounds < ROUNDS_UNTIL_NOTE) return undefined;
    this.#hasNote = true;
    const max = this.max("identicalCalls");
    const end =
      max === 0
        ? ""
        : ` At ${max} the run pauses, or ends if no host can raise the limit (${SETTINGS.identicalCalls}).`;
    return `The model has made ${this.#describe()}.${end}`;
  }

  /** Returns the text of a notice once per user message, after the allowed number of turns without another one. */
  takeUnattended(): string | undefined {
    if (this.#isUnattendedReported || !this.#isUsedUp("turns")) return undefined;
    this.#isUnattendedReported = true;
    return `The run has made ${this.#turns} turns without user input and continues (${SETTINGS.turns} is ${this.max("turns")})`;
  }

  get stopText(): string {
    return `Stopped after ${this.#describe()} (${SETTINGS.identicalCalls} is ${this.max("identicalCalls")})`;
  }

  #describe(): string {
    const { rounds, tools } = this.#repetition;
    const [tool] = tools;
    return tools.length === 1
      ? `${rounds} identical calls of ${tool} with the same result`
      : `${rounds} identical rounds of the calls ${tools.join(", ")} with the same results`;
  }

  #setRepetition(repetition: Repetition): void {
    if (repetition.rounds < ROUNDS_UNTIL_NOTE) this.#hasNote = false;
    this.#repetition = repetition;
  }

  #used(limit: RunLimit): number {
    return limit === "turns" ? this.#turns : this.#repetition.rounds;
  }

  #isUsedUp(limit: RunLimit): boolean {
    const max = this.max(limit);
    return max > 0 && this.#used(limit) >= max;
  }

  #use(limit: RunLimit, reason: "no_progress" | "no_input"): LimitUse {
    return { limit, used: this.#used(limit), max: this.max(limit), scope: "run", reason };
  }
}

function isUserInput(message: AgentMessage): boolean {
  return message.role === "user" && message.attribution !== "agent";
}

const refusal = (text: string) => new SessionError("invalid_request", text);
