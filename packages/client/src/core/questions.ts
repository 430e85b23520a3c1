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
  /** A capability has changed. */
  declare(change: Capabilities): void;
  onThrow(what: string, error: unknown): void;
}

/** Under which the one wait for a budget is kept. */
export const BUDGET = "budget";
const DIALOGS = new Set(["select", "confirm", "input", "editor"]);

/** What must be installed so that a frame is asked. */
const CAPABILITIES: Readonly<Record<string, keyof Handlers>> = {
  extension_ui_request: "ui",
  trust_request: "trust",
  approval_request: "approvals",
  mcp_auth_request: "mcpAuth",
};

/** What the server asks the host. A question ends with its answer, or when the server takes it back; then nothing is sent. */
export class Questions {
  readonly #parts: QuestionParts;
  readonly #handlers: Partial<Handlers> = {};
  readonly #open = new Map<string, AbortController>();
  /** Previews that were staged before a handler was there. Other questions are asked again by the server then. */
  readonly #unasked = new Map<string, PendingActionAddedEvent>();

  constructor(parts: QuestionParts) {
    this.#parts = parts;
  }

  get capabilities(): Capabilities {
    return Object.fromEntries(Object.keys(this.#handlers).map((capability) => [capability, true]));
  }

  /** Replaces the one before. Gives a function that takes it away again. */
  install<C extends keyof Handlers>(capability: C, handler: Handlers[C]): () => void {
    const isNew = this.#handlers[capability] === undefined;
    this.#handlers[capability] = handler;
    if (isNew) this.#parts.declare({ [capability]: true });
    // What a handler throws is told to onThrow; none of the questions rejects.
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

  /** Also of a login. */
  cancelApproval({ targetId, reason }: { targetId: string; reason?: string }): void {
    this.#takeBack(targetId, reason);
  }

  /** Previews and the ends of questions come as events. */
  handle(event: RpcEvent): void {
    // What a handler throws is told to onThrow; none of the questions rejects.
    if (event.type === "pending_action_added") void this.#askPreview(event);
    else if (event.type === "pending_action_resolved") this.#takeBack(event.actionId, why(event));
    else if (event.type === "trust_resolved") this.#takeBack(event.id, why(event));
    else if (event.type === "budget_reached")
      void this.#askBudget(event); // as above
    else if (event.type === "agent_end") this.#takeBack(BUDGET);
    // The next model call: another host has raised it.
    else if (event.type === "message_start") this.#takeBack(BUDGET, "answered");
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  /** False: it would be answered unseen. */
  hasHandler({ type }: Frame): boolean {
    const capability = CAPABILITIES[type];
    return capability === undefined || this.#handlers[capability] !== undefined;
  }

  /** All others have ended unseen. */
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
    if (this.#open.has(actionId)) return; // told twice
    this.#unasked.delete(actionId);
    const failed = { action: "discard", reason: "The host could not decide" } as const;
    const answer = await this.#ask("onPreview", actionId, failed, (context) => handler(preview, context));
    if (answer?.value === undefined) return;
    const fields = typeof answer.value === "string" ? { action: answer.value } : answer.value;
    await this.#decide("onPreview", "resolve_pending_action", { ...fields, actionId });
  }

  async #askBudget(event: BudgetReachedEvent): Promise<void> {
    const handler = this.#handlers.budgets;
    if (!handler) return;
    this.#takeBack(BUDGET); // what was raised was not enough
    const answer = await this.#ask("onBudget", BUDGET, undefined, (context) => handler(event, context));
    if (answer?.value !== undefined) await this.#decide("onBudget", "raise_budget", answer.value);
  }

  async #decide(what: string, command: string, params: object): Promise<void> {
    await this.#parts.request(command, params).catch((error) => {
      // Another answer may have been faster, and a lost connection is reported to all calls.
      const isExpected = error instanceof RpcClosedError || error.code === "not_found";
      if (!isExpected) this.#parts.onThrow(what, error);
    });
  }

  /** What the host does in the place of a tool: what it throws is for the model. */
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

  /** Undefined when no answer is wanted any more. */
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

  /** What a handler gave may not be JSON. */
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
    controller?.abort(new Error("No answer is wanted any more", { cause }));
  }
}

/** Whose answer it was is known here: that of another host, or of the model. */
function why({ by }: { by: string }): string {
  return by === "host" || by === "model" ? "answered" : by;
}

function uiFields(answer: UiAnswer): object {
  if (typeof answer === "string") return { value: answer };
  if (typeof answer === "boolean") return { confirmed: answer };
  return answer ?? { cancelled: true };
}
