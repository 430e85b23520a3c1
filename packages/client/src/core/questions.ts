import {
  type BudgetReachedEvent,
  type PendingActionAddedEvent,
  QUESTIONS,
  type QuestionContext,
  type QuestionHandlerRow,
  type RpcEvent,
  type UiHandler,
} from "../protocol.ts";
import { errorText, RpcClosedError } from "./errors.ts";
import { expectsAnswer, type HandledKind, handledKind, withdrawnId } from "./question-frames.ts";
import type { BudgetAnswer, Capabilities, Handler, Handlers, PreviewAnswer } from "./question-handlers.ts";
import type { Frame } from "./transport.ts";

type Awaitable<T> = T | Promise<T>;

export interface QuestionParts {
  send(frame: Frame): void;
  request(command: string, params: object): Promise<unknown>;
  /** Reports a changed capability to the server. */
  declare(change: Capabilities): void;
  onThrow(what: string, error: unknown): void;
}

/** The id under which the pending budget question is kept; there is at most one. */
export const BUDGET = "budget";

/**
 * Passes the server's questions to the host's handlers. A question ends when it is answered or withdrawn; nothing is sent for a
 * withdrawn one.
 */
export class Questions {
  readonly #parts: QuestionParts;
  readonly #handlers: Partial<Handlers> = {};
  readonly #open = new Map<string, AbortController>();
  /** Previews staged before a handler was installed. The server repeats all other questions itself. */
  readonly #unasked = new Map<string, PendingActionAddedEvent>();

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  get capabilities(): Capabilities {
    return Object.fromEntries(Object.keys(this.#handlers).map((capability) => [capability, true]));
  }

  /** Installs a handler, replacing the previous one. Returns a function that removes it. */
  install<C extends keyof Handlers>(capability: C, handler: Handlers[C]): () => void {
    const isNew = this.#handlers[capability] === undefined;
    this.#handlers[capability] = handler;
    if (isNew) this.#parts.declare({ [capability]: true });
    // Errors thrown by a handler go to onThrow; none of the questions rejects.
    if (capability === "resolvePreviews") for (const event of this.#unasked.values()) void this.#askPreview(event);
    return () => {
      if (this.#handlers[capability] !== handler) return;
      delete this.#handlers[capability];
      this.#parts.declare({ [capability]: false });
    };
  }

  /** Returns false if the frame is not a question. Errors thrown by a handler go to onThrow. */
  receive(frame: Frame): boolean {
    const withdrawn = withdrawnId(frame);
    if (withdrawn !== undefined) {
      this.#takeBack(withdrawn, typeof frame.reason === "string" ? frame.reason : undefined);
      return true;
    }
    const kind = handledKind(frame);
    if (kind === undefined) return false;
    void this.#askInFrame(kind, frame); // does not reject
    return true;
  }

  /** Handles events: previews and resolved questions arrive as events. */
  handle(event: RpcEvent): void {
    // Errors thrown by a handler go to onThrow; none of the questions rejects.
    if (event.type === "pending_action_added") void this.#askPreview(event);
    else if (event.type === "pending_action_resolved") this.#takeBack(event.actionId, why(event));
    else if (event.type === "trust_resolved") this.#takeBack(event.id, why(event));
    else if (event.type === "budget_reached")
      void this.#askBudget(event); // as above
    else if (event.type === "agent_end") this.#takeBack(BUDGET);
    // Another model call has started, so another host has raised the budget.
    else if (event.type === "message_start") this.#takeBack(BUDGET, "answered");
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** Returns false if the question would be answered without the user having seen it. */
  hasHandler({ type }: Frame): boolean {
    const kind = handledKind({ type });
    if (kind === undefined || "isExclusive" in QUESTIONS[kind]) return true;
    return this.#handlers[QUESTIONS[kind].capability] !== undefined;
  }

  /** Withdraws every question that is not in `ids`; it was resolved while this host was away. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of [...this.#unasked.keys()]) if (!ids.has(id)) this.#unasked.delete(id);
    for (const id of [...this.#open.keys()]) if (!ids.has(id)) this.#takeBack(id);
  }

  takeBackAll(): void {
    this.#unasked.clear();
    for (const id of [...this.#open.keys()]) this.#takeBack(id);
  }

  async #askPreview(event: PendingActionAddedEvent): Promise<void> {
    const { action: preview } = event;
    const { actionId } = preview;
    const handler = this.#handlers.resolvePreviews;
    if (!handler) return void this.#unasked.set(actionId, event);
    if (this.#open.has(actionId)) return; // delivered twice
    this.#unasked.delete(actionId);
    const failed = { action: "discard", reason: "The host's preview handler failed" } as const;
    const answer = await this.#ask<PreviewAnswer>(
      "onPreview",
      actionId,
      () => failed,
      (context) => handler(preview, context),
    );
    if (answer?.value === undefined) return;
    const fields = typeof answer.value === "string" ? { action: answer.value } : answer.value;
    await this.#decide("onPreview", "resolve_pending_action", { ...fields, actionId });
  }

  async #askBudget(event: BudgetReachedEvent): Promise<void> {
    const handler = this.#handlers.budgets;
    if (!handler) return;
    this.#takeBack(BUDGET); // the limit was reached again after it was raised
    const answer = await this.#ask<BudgetAnswer>(
      "onBudget",
      BUDGET,
      () => undefined,
      (context) => handler(event, context),
    );
    if (answer?.value !== undefined) await this.#decide("onBudget", "raise_budget", answer.value);
  }

  async #decide(what: string, command: string, params: object): Promise<void> {
    await this.#parts.request(command, params).catch((error) => {
      // Another host may have answered first, and calls report a lost connection themselves. Naming parts that no longer
      // exist is a mistake of the handler.
      const namesParts = ["files", "hunks", "edits"].some((field) => field in params);
      const isExpected = error instanceof RpcClosedError || (error.code === "not_found" && !namesParts);
      if (!isExpected) this.#parts.onThrow(what, error);
    });
  }

  async #askInFrame(kind: HandledKind, request: Frame): Promise<void> {
    const { answer: type, capability, handler: row } = QUESTIONS[kind];
    const { method, none, reportsErrors }: QuestionHandlerRow = row;
    const id = String(request.id);
    const handler = this.#handlers[capability] as Handler<UiHandler, unknown> | undefined;
    const answer = await this.#ask<object>(
      method,
      id,
      (error) => (reportsErrors ? { error: errorText(error) } : none),
      async (context) => answerFields(row, await handler?.(request as never, context)),
    );
    if (answer && expectsAnswer(kind, request)) this.#answer(method, { type, id, ...answer.value });
  }

  /** Returns undefined if the question was withdrawn. */
  async #ask<T>(
    what: string,
    id: string,
    whenThrown: (error: unknown) => T,
    ask: (context: QuestionContext) => Awaitable<T>,
  ): Promise<{ value: T } | undefined> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#open.set(id, controller);
    let value: T;
    try {
      value = await ask({ signal });
    } catch (error) {
      if (!signal.aborted) this.#parts.onThrow(what, error);
      value = whenThrown(error);
    }
    if (this.#open.get(id) === controller) this.#open.delete(id);
    return signal.aborted ? undefined : { value };
  }

  /** Sends an answer, which may contain values that are not JSON. */
  #answer(what: string, frame: Frame): void {
    try {
      this.#parts.send(frame);
    } catch (error) {
      this.#parts.onThrow(what, error);
    }
  }

  #takeBack(id: string, cause?: string): void {
    const controller = this.#open.get(id);
    this.#open.delete(id);
    this.#unasked.delete(id);
    controller?.abort(new Error("The question was withdrawn", { cause }));
  }
}

/** Returns the reason for withdrawing a question, which another host or the model may have answered. */
function why({ by }: { by: string }): string {
  return by === "host" || by === "model" ? "answered" : by;
}

/** Returns the fields of the answer that a handler's value stands for. */
function answerFields({ text, yes, no, none }: QuestionHandlerRow, value: unknown): object {
  if (typeof value === "object" && value !== null) return value;
  if (typeof value === "string" && text !== undefined) return { [text]: value };
  return (value === true ? yes : value === false ? no : none) ?? none;
}
