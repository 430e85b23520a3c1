import type {
  ApprovalRequest,
  BudgetReachedEvent,
  ExtensionUiRequest,
  HostFsRequest,
  HostTerminalRequest,
  McpAuthRequest,
  PendingActionAddedEvent,
  RpcEvent,
  TrustRequest,
} from "../protocol.ts";
import { errorText, RpcClosedError } from "./errors.ts";
import type { Capabilities, Handlers, QuestionContext, UiAnswer } from "./question-handlers.ts";
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
const DIALOGS = new Set(["select", "confirm", "input", "editor"]);

/** The handler without which a frame is not delivered. */
const CAPABILITIES: Readonly<Record<string, keyof Handlers>> = {
  extension_ui_request: "ui",
  trust_request: "trust",
  approval_request: "approvals",
  mcp_auth_request: "mcpAuth",
};

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

  async askUi(request: ExtensionUiRequest): Promise<void> {
    if (request.method === "cancel") return this.#takeBack(request.targetId, request.reason);
    const { id, method } = request;
    const handler = this.#handlers.ui;
    const answer = await this.#ask("onUiRequest", id, undefined, (context) => handler?.(request, context));
    if (answer && DIALOGS.has(method)) {
      this.#answer("onUiRequest", { type: "extension_ui_response", id, ...uiFields(answer.value ?? undefined) });
    }
  }

  async askTrust(request: TrustRequest): Promise<void> {
    const { id } = request;
    const handler = this.#handlers.trust;
    const answer = await this.#ask("onTrustRequest", id, false, (context) => handler?.(request, context) ?? false);
    if (!answer) return;
    const fields = typeof answer.value === "object" ? answer.value : { trusted: answer.value === true };
    this.#answer("onTrustRequest", { type: "trust_response", id, ...fields });
  }

  async askApproval(request: ApprovalRequest): Promise<void> {
    const { id } = request;
    const handler = this.#handlers.approvals;
    const answer = await this.#ask("onApproval", id, "deny", (context) => handler?.(request, context));
    if (!answer) return;
    const { value = "deny" } = answer;
    const fields = typeof value === "object" ? value : { decision: value };
    this.#answer("onApproval", { type: "approval_response", id, ...fields });
  }

  async askFile(request: HostFsRequest): Promise<void> {
    if (request.method === "cancel") return this.#takeBack(request.targetId);
    const handler = this.#handlers.fs;
    await this.#work("onFileRequest", "host_fs_result", request.id, async (context) => {
      const answer = await handler?.(request, context);
      if (request.method === "read" && typeof answer === "string") return { content: answer };
      return answer === undefined || answer === false ? { notOpen: true } : {};
    });
  }

  async askTerminal(request: HostTerminalRequest): Promise<void> {
    if (request.method === "cancel") return this.#takeBack(request.targetId);
    const handler = this.#handlers.terminal;
    await this.#work("onTerminalRequest", "host_terminal_result", request.id, async (context) => {
      if (!handler) throw new Error("The host has no terminal");
      return handler(request, context);
    });
  }

  async askLogin(request: McpAuthRequest): Promise<void> {
    const { id } = request;
    const handler = this.#handlers.mcpAuth;
    const answer = await this.#ask("onMcpAuth", id, undefined, (context) => handler?.(request, context));
    if (!answer) return;
    const fields = answer.value === undefined ? { cancelled: true } : { redirectUrl: answer.value };
    this.#answer("onMcpAuth", { type: "mcp_auth_response", id, ...fields });
  }

  /** Withdraws an approval or a login. */
  cancelApproval({ targetId, reason }: { targetId: string; reason?: string }): void {
    this.#takeBack(targetId, reason);
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
    const capability = CAPABILITIES[type];
    return capability === undefined || this.#handlers[capability] !== undefined;
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
    const answer = await this.#ask("onPreview", actionId, failed, (context) => handler(preview, context));
    if (answer?.value === undefined) return;
    const fields = typeof answer.value === "string" ? { action: answer.value } : answer.value;
    await this.#decide("onPreview", "resolve_pending_action", { ...fields, actionId });
  }

  async #askBudget(event: BudgetReachedEvent): Promise<void> {
    const handler = this.#handlers.budgets;
    if (!handler) return;
    this.#takeBack(BUDGET); // the limit was reached again after it was raised
    const answer = await this.#ask("onBudget", BUDGET, undefined, (context) => handler(event, context));
    if (answer?.value !== undefined) await this.#decide("onBudget", "raise_budget", answer.value);
  }

  async #decide(what: string, command: string, params: object): Promise<void> {
    await this.#parts.request(command, params).catch((error) => {
      // Another host may have answered first, and calls report a lost connection themselves.
      const isExpected = error instanceof RpcClosedError || error.code === "not_found";
      if (!isExpected) this.#parts.onThrow(what, error);
    });
  }

  /** Runs a request in place of a tool. Errors it throws are sent to the model. */
  async #work(
    what: string,
    type: string,
    id: string,
    work: (context: QuestionContext) => Promise<object>,
  ): Promise<void> {
    const answer = await this.#ask<object>(what, id, {}, (context) =>
      work(context).catch((error) => {
        if (!context.signal.aborted) this.#parts.onThrow(what, error);
        return { error: errorText(error) };
      }),
    );
    if (answer) this.#answer(what, { type, id, ...answer.value });
  }

  /** Returns undefined if the question was withdrawn. */
  async #ask<T>(
    what: string,
    id: string,
    whenThrown: T,
    ask: (context: QuestionContext) => Awaitable<T>,
  ): Promise<{ value: T } | undefined> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#open.set(id, controller);
    let value = whenThrown;
    try {
      value = await ask({ signal });
    } catch (error) {
      if (!signal.aborted) this.#parts.onThrow(what, error);
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

function uiFields(answer: UiAnswer): object {
  if (typeof answer === "string") return { value: answer };
  if (typeof answer === "boolean") return { confirmed: answer };
  return answer ?? { cancelled: true };
}
