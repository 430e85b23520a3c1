import type { AgentToolResult, HostToolCall, HostToolCancel, RpcHostToolDefinition } from "../protocol.ts";
import { errorText } from "./errors.ts";
import type { Frame } from "./transport.ts";

/** A string stands for one block of text. */
export type HostToolOutput = string | (Pick<AgentToolResult, "content" | "details"> & { isError?: boolean });

export interface HostToolContext {
  /** The model's id of the call, as in the `tool_execution_*` events. */
  toolCallId: string;
  /** Fires when the result is not wanted any more. */
  signal: AbortSignal;
  /** Progress; replaces the one before. */
  sendUpdate(partial: HostToolOutput): void;
}

/** A tool that runs in this program. */
export interface HostTool extends RpcHostToolDefinition {
  // biome-ignore lint/suspicious/noExplicitAny: the arguments fit `parameters`, which only the author of the tool knows as a type
  execute(args: any, context: HostToolContext): HostToolOutput | undefined | Promise<HostToolOutput | undefined>;
}

/** What the server is told about a tool. */
export function toDefinition({ execute: _function, ...definition }: HostTool): RpcHostToolDefinition {
  return definition;
}

type Send = (frame: Frame, key?: string) => void;

/** Runs the calls of the model. After a cancel nothing is sent for that call. */
export class HostTools {
  readonly #send: Send;
  #tools: ReadonlyMap<string, HostTool> = new Map();
  readonly #running = new Map<string, AbortController>();

  constructor(send: Send) {
    this.#send = send;
  }

  set(tools: readonly HostTool[]): void {
    this.#tools = new Map(tools.map((tool) => [tool.name.trim(), tool]));
  }

  async call({ id, toolCallId, toolName, arguments: args }: HostToolCall): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(id, controller);
    const send = (frame: Frame, key?: string) => {
      if (this.#running.get(id) === controller) this.#send(frame, key);
    };
    const sendUpdate = (partial: HostToolOutput) =>
      send({ type: "host_tool_update", id, partialResult: toResult(partial) }, id);
    try {
      const tool = this.#tools.get(toolName);
      if (!tool) throw new Error(`Host tool "${toolName}" is not registered`);
      const { isError, ...result } = toResult(await tool.execute(args, { toolCallId, signal, sendUpdate }));
      send({ type: "host_tool_result", id, result, ...(isError && { isError }) }, id);
    } catch (error) {
      send({ type: "host_tool_result", id, result: toResult(errorText(error)), isError: true }, id);
    } finally {
      if (this.#running.get(id) === controller) this.#running.delete(id);
    }
  }

  cancel({ targetId }: Pick<HostToolCancel, "targetId">): void {
    const controller = this.#running.get(targetId);
    this.#running.delete(targetId);
    controller?.abort(new Error("The call was cancelled"));
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  cancelAll(): void {
    for (const targetId of [...this.#running.keys()]) this.cancel({ targetId });
  }
}

function toResult(output: HostToolOutput | undefined): Exclude<HostToolOutput, string> {
  if (output === undefined) return { content: [] };
  return typeof output === "string" ? { content: [{ type: "text", text: output }] } : output;
}
