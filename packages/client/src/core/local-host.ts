import type { BudgetAmounts, RpcEvent } from "../protocol.ts";
import { type HostTool, HostTools } from "./host-tools.ts";
import { CAPABILITY_OF, type Capabilities } from "./question-handlers.ts";
import { Questions } from "./questions.ts";
import { HANDLER_METHODS, type HandlerOptions } from "./session-options.ts";
import type { Frame } from "./transport.ts";

export interface LocalHostParts {
  /** Sends the answer to a question or a tool call. */
  answer(type: string, fields: Record<string, unknown>): void;
  declare(change: Capabilities): void;
  resolvePreview(choice: {
    action: "apply" | "discard";
    actionId?: string;
    reason?: string;
    files?: string[];
    hunks?: string[];
    edits?: { path: string; content: string }[];
  }): unknown;
  raiseBudget(totals: BudgetAmounts): unknown;
  onThrow(what: string, error: unknown): void;
}

/** A host in the same process as the session: its handlers and tools receive the frames that a client would receive. */
export class LocalHost {
  readonly #questions: Questions;
  readonly #calls: HostTools;

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
    for (const name of HANDLER_METHODS) {
      const handler = handlers[name];
      if (handler) questions.install(CAPABILITY_OF[name], handler as never); // `name` selects the handler type
    }
  }

  /** Handles a question or tool call. Never throws: errors in a handler go to `onThrow`. */
  receive(frame: { type: string }): void {
    const call = frame as never; // narrowed by `type`
    if (frame.type === "host_tool_call")
      void this.#calls.call(call); // does not reject
    else if (frame.type === "host_tool_cancel") this.#calls.cancel(call);
    else this.#questions.receive(frame);
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
