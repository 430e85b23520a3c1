import type { Approver } from "../permissions/authorizer.ts";
import type { HostWorkplace } from "../tools/host-workplace.ts";
import { NO_DIALOGS, type SessionDialogs } from "../tools/session-dialogs.ts";
import type { BudgetWaiter } from "./budgets/budget.ts";
import type { EventReader, SessionEmitter } from "./conversation/event-emitter.ts";
import type { AskHost } from "./host-question.ts";

/**
 * The program that drives a session, as far as the session asks it something. The session reads each field at each use, so a
 * getter may return a new value; the program then calls `changed()`. Whatever is absent is denied or left to the model.
 */
export interface SessionHost {
  /** Dialogs of the `ask` tool and of MCP servers. */
  readonly dialogs?: SessionDialogs | undefined;
  /** Whether to offer the model tools that ask the user. If absent, the current state is kept. */
  readonly answersQuestions?: boolean | undefined;
  /** Whether the program decides previews instead of the model. */
  readonly decidesPreviews?: boolean;
  /** Decides tool calls that neither preset nor rules decide. */
  readonly approve?: Approver | undefined;
  /** Whether `approve` reaches a user. Default: true. */
  readonly answersApprovals?: boolean;
  /** Called, and awaited, before a budget ends a run. */
  readonly raiseBudget?: BudgetWaiter | undefined;
  /** Whether `raiseBudget` reaches a user. Default: true if it is set. */
  readonly raisesBudgets?: boolean;
  /** Asks a question of any other kind. */
  readonly ask?: AskHost | undefined;
  /** Whether the program expects runs without a prompt, so that commands may run in the background. */
  readonly wantsAsyncWork?: boolean;
  /** Files, terminal and URIs of the program; tools use them instead of this machine's. */
  readonly workplace?: HostWorkplace | undefined;
  /** The reader that receives events outside this process. */
  readonly reader?: EventReader | undefined;
}

/** Denies every call, because no user can be asked. */
export const denyUnasked: Approver = async () => ({ decision: "deny", by: "nobody" });
/** Replaces the host after it has detached: denies everything. */
const GONE: SessionHost = { approve: async () => ({ decision: "deny", by: "disconnect" }) };

/** Holds the program that drives the session. All of the session's questions go through it. */
export class AttachedHost {
  readonly #events: Pick<SessionEmitter, "setReader">;
  readonly #listeners: (() => void)[] = [];
  #host: SessionHost = {};

  constructor(events: Pick<SessionEmitter, "setReader">) {
    this.#events = events;
  }

  /** Replaces the attached program. Returns the function that detaches it. */
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

  /** Notifies listeners that a field of the attached program has changed. */
  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Registers a listener for a new program and for changed fields. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  get dialogs(): SessionDialogs {
    return this.#host.dialogs ?? NO_DIALOGS;
  }

  /** Returns undefined if no user can be asked now. */
  get reachableDialogs(): SessionDialogs | undefined {
    const { dialogs } = this;
    return dialogs.canAsk?.() === false ? undefined : dialogs;
  }

  /** Whether a program is attached that shows dialogs and could decide previews. */
  get isPresent(): boolean {
    return this.#host.dialogs !== undefined;
  }

  get answersQuestions(): boolean | undefined {
    return this.#host.answersQuestions;
  }

  get decidesPreviews(): boolean {
    return this.#host.decidesPreviews ?? false;
  }

  /** Returns undefined if the program decides no tool calls. */
  get approver(): Approver | undefined {
    return this.#host.approve;
  }

  get approve(): Approver {
    return this.#host.approve ?? denyUnasked;
  }

  /** Whether approvals reach a user. True without a program, because the session then asks no one. */
  get answersApprovals(): boolean {
    return this.#host.answersApprovals ?? true;
  }

  /** Whether a call that needs approval leads to a question. */
  get canApprove(): boolean {
    return this.#host.approve !== undefined && this.answersApprovals;
  }

  /** Resolves when the budget will no longer be raised. */
  readonly waitForBudget: BudgetWaiter = async (use, signal) => this.#host.raiseBudget?.(use, signal);

  get raisesBudgets(): boolean {
    return this.#host.raisesBudgets ?? this.#host.raiseBudget !== undefined;
  }

  readonly ask: AskHost = async (kind, question) => this.#host.ask?.(kind, question) ?? { by: "nobody" };

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
