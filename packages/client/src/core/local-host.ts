import type { BudgetAmounts, RpcEvent } from "../protocol.ts";
import { type HostTool, HostTools } from "./host-tools.ts";
import type { Capabilities, Handlers } from "./question-handlers.ts";
import { Questions } from "./questions.ts";
import { HANDLER_METHODS, type HandlerOptions } from "./session-options.ts";
import type { Frame } from "./transport.ts";

/** The host capability that each handler provides. */
const CAPABILITIES: Record<(typeof HANDLER_METHODS)[number], keyof Handlers> = {
  onUiRequest: "ui",
  onTrustRequest: "trust",
  onApproval: "approvals",
  onMcpAuth: "mcpAuth",
  onPreview: "resolvePreviews",
  onBudget: "budgets",
  onFileRequest: "fs",
  onTerminalRequest: "terminal",
};

export interface LocalHostParts {
  /** Sends the answer to a question or a tool call. */
  answer(type: string, fields: Record<string, unknown>): void;
  declare(change: Capabilities): void;
  resolvePreview(choice: {
    action: "apply" | "discard";
    actionId?: string;
    reason?: string;
    files?: string[];
  }): unknown;
  raiseBudget(totals: BudgetAmounts): unknown;
  onThrow(what: string, error: unknown): void;
}

/** A host in the same process as the session: its handlers and tools receive the frames that a client would receive. */
export class LocalHost {
  readonly #questions: Questions;
  readonly #calls: HostTools;
  readonly #receivers: Record<string, (frame: never) => unknown>;

  constructor(parts: LocalHostParts, handlers: HandlerOptions, tools: readonly HostTool[]) {
    const send = ({ type, ...fields }: Frame) => parts.answer(type, fields);
    const commands: Record<string, (params: never) => unknown> = {
      resolve_pending_action: (choice) => parts.resolvePreview(choice),
      raise_budget: (totals) => parts.raiseBudget(totals),
    };
    const questions = new Questions({
      send,
      request: async (command, params) => commands[command]?.(params as never), // params match the command name
      declare: (change) => parts.declare(change),
      onThrow: (what, error) => parts.onThrow(what, error),
    });
    const calls = new HostTools(send);
    calls.set(tools);
    this.#questions = questions;
    this.#calls = calls;
    this.#receivers = {
      extension_ui_request: (frame) => questions.askUi(frame),
      trust_request: (frame) => questions.askTrust(frame),
      approval_request: (frame) => questions.askApproval(frame),
      approval_cancel: (frame) => questions.cancelApproval(frame),
      mcp_auth_request: (frame) => questions.askLogin(frame),
      mcp_auth_cancel: (frame) => questions.cancelApproval(frame),
      host_fs_request: (frame) => questions.askFile(frame),
      host_terminal_request: (frame) => questions.askTerminal(frame),
      host_tool_call: (frame) => calls.call(frame),
      host_tool_cancel: (frame) => calls.cancel(frame),
    };
    for (const name of HANDLER_METHODS) {
      const handler = handlers[name];
      if (handler) questions.install(CAPABILITIES[name], handler as never); // `name` selects the handler type
    }
  }

  /** Handles a question or tool call. Never throws: errors in a handler go to `onThrow`. */
  receive(frame: { type: string }): void {
    void this.#receivers[frame.type]?.(frame as never); // narrowed by `type`
  }

  /** Handles an event of the session: previews, budgets and resolved questions arrive as events. */
  handle(event: { type: string }): void {
    this.#questions.handle(event as RpcEvent); // narrowed by `type`
  }

  /** Cancels running calls. */
  stop(): void {
    this.#calls.cancelAll();
    this.#questions.takeBackAll();
  }
}
