import type { AskLogin } from "../mcp/login/login-request.ts";
import type { Approver } from "../permissions/gate.ts";
import type { HostWorkplace } from "../tools/host-workplace.ts";
import { NO_DIALOGS, type SessionDialogs } from "../tools/session-dialogs.ts";
import type { BudgetWaiter } from "./budgets/budget.ts";
import type { EventReader, SessionEmitter } from "./conversation/event-emitter.ts";

/**
 * The program that drives a session, as far as the session asks it something. The session reads each field when it needs it, so
 * that a getter may change its answer; the program then calls `changed()`. What is absent is denied, or left to the model.
 */
export interface SessionHost {
  /** Dialogs of the `ask` tool and of MCP servers. */
  readonly dialogs?: SessionDialogs | undefined;
  /** Whether the model is offered tools that ask the user. If absent, this stays as it is. */
  readonly answersQuestions?: boolean | undefined;
  /** Whether the program decides previews instead of the model. */
  readonly decidesPreviews?: boolean;
  /** Decides on tool calls that preset and rules leave open. */
  readonly approve?: Approver | undefined;
  /** Whether `approve` reaches someone. Default: true. */
  readonly answersApprovals?: boolean;
  /** Is waited for before a budget ends a run. */
  readonly raiseBudget?: BudgetWaiter | undefined;
  /** Whether `raiseBudget` reaches someone. Default: true if it is set. */
  readonly raisesBudgets?: boolean;
  /** Leads the user through a login at an MCP server. */
  readonly logIn?: AskLogin | undefined;
  /** Whether the program expects runs without a prompt, so that commands may run in the background. */
  readonly wantsAsyncWork?: boolean;
  /** Files, terminal and URIs of the program that tools use instead of this machine's. */
  readonly workplace?: HostWorkplace | undefined;
  /** Reads the events outside this process. */
  readonly reader?: EventReader | undefined;
}

/** Denies, because no one can be asked. */
export const denyUnasked: Approver = async () => ({ decision: "deny", by: "nobody" });
/** A program that was attached and has gone. */
const GONE: SessionHost = { approve: async () => ({ decision: "deny", by: "disconnect" }) };

/** Holds the program that drives the session. Every question of the session to it starts here. */
export class AttachedHost {
  readonly #events: Pick<SessionEmitter, "setReader">;
  readonly #listeners: (() => void)[] = [];
  #host: SessionHost = {};

  constructor(events: Pick<SessionEmitter, "setReader">) {
    this.#events = events;
  }

  /** Replaces the attached program. Returns what detaches it. */
  attach(host: SessionHost): () => void {
    this.#become(host);
    return () => {
      if (this.#host === host) this.#become(GONE);
    };
  }

  /** Returns the attached program, or an empty one. */
  get current(): SessionHost {
    return this.#host;
  }

  /** Called when a field of the attached program has another value. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The listener is called whenever another program is attached, or a field of it has changed. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get dialogs(): SessionDialogs {
    return this.#host.dialogs ?? NO_DIALOGS;
  }

  /** Returns undefined if no person can be asked now. */
  get reachableDialogs(): SessionDialogs | undefined {
    const { dialogs } = this;
    return dialogs.canAsk?.() === false ? undefined : dialogs;
  }

  /** Whether a program is there that shows dialogs and could decide previews. */
  get isPresent(): boolean {
    return this.#host.dialogs !== undefined;
  }

  get answersQuestions(): boolean | undefined {
    return this.#host.answersQuestions;
  }

  get decidesPreviews(): boolean {
    return this.#host.decidesPreviews ?? false;
  }

  get approve(): Approver {
    return this.#host.approve ?? denyUnasked;
  }

  /** Whether approvals reach someone. True without a program, because then nothing is left to it. */
  get answersApprovals(): boolean {
    return this.#host.answersApprovals ?? true;
  }

  /** Whether a call that needs approval is asked about. */
  get canApprove(): boolean {
    return this.#host.approve !== undefined && this.answersApprovals;
  }

  /** Resolves when the budget will not be raised any more. */
  readonly waitForBudget: BudgetWaiter = async (use, signal) => this.#host.raiseBudget?.(use, signal);

  get raisesBudgets(): boolean {
    return this.#host.raisesBudgets ?? this.#host.raiseBudget !== undefined;
  }

  readonly logIn: AskLogin = async (request) => this.#host.logIn?.(request);

  get wantsAsyncWork(): boolean {
    return this.#host.wantsAsyncWork ?? false;
  }

  get workplace(): HostWorkplace {
    return this.#host.workplace ?? {};
  }

  #become(host: SessionHost): void {
    this.#host = host;
    this.#events.setReader(host.reader ?? {});
    this.changed();
  }
}
