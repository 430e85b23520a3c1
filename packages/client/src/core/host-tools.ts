import type {
  AgentToolResult,
  HostToolCall,
  HostToolCancel,
  RpcHostToolDefinition,
  ToolAnnotations,
} from "../protocol.ts";
import { errorText } from "./errors.ts";
import type { Frame } from "./transport.ts";

/** A string is one block of text. With `terminate` in every result of a batch, the run ends without another model call. */
export type HostToolOutput =
  | string
  | (Pick<AgentToolResult, "content" | "details"> & { isError?: boolean; terminate?: boolean });

export interface HostToolContext {
  /** The model's id for the call, as in the `tool_execution_*` events. */
  toolCallId: string;
  /** Aborted when the result is no longer needed. */
  signal: AbortSignal;
  /** Reports progress; replaces the previous update. */
  sendUpdate(partial: HostToolOutput): void;
}

/** A tool that runs in this program. */
export interface HostTool extends RpcHostToolDefinition {
  /** What the tool does. All presets allow a tool with `readOnlyHint`. */
  annotations?: ToolAnnotations;
  // biome-ignore lint/suspicious/noExplicitAny: the arguments fit `parameters`, which only the author of the tool knows as a type
  execute(args: any, context: HostToolContext): HostToolOutput | undefined | Promise<HostToolOutput | undefined>;
}

/** Returns the definition to send to the server. Older servers reject annotations. */
export function toDefinition(tool: HostTool, hasAnnotations: boolean): RpcHostToolDefinition {
  const { execute: _function, annotations, ...definition } = tool;
  return { ...definition, ...(annotations && hasAnnotations && { annotations }) };
}

type Send = (frame: Frame, key?: string) => void;

/** How many results are kept for calls that a server sends again because it did not receive the result. */
const KEPT_RESULTS = 64;

/** Runs the model's calls. After a cancellation nothing more is sent for that call. */
export class HostTools {
  readonly #send: Send;
  #tools: ReadonlyMap<string, HostTool> = new Map();
  readonly #running = new Map<string, AbortController>();
  readonly #results = new Map<string, Frame>();

  constructor(send: Send) {
    this.#send = send;
  }

  set(tools: readonly HostTool[]): void {
    this.#tools = new Map(tools.map((tool) => [tool.name.trim(), tool]));
  }

  /** Runs a call. One that is redelivered after a lost connection is never executed twice. */
  async call(call: HostToolCall & { redelivered?: boolean }): Promise<void> {
    const { id, toolName } = call;
    if (!call.redelivered) return this.#execute(call);
    if (this.#running.has(id)) return;
    const known = this.#results.get(id);
    const { readOnlyHint, idempotentHint } = this.#tools.get(toolName)?.annotations ?? {};
    if (known) this.#send(known, id);
    else if (readOnlyHint || idempotentHint) await this.#execute(call);
    else {
      const text = `The program that runs "${toolName}" was restarted during the call; whether the call had an effect is unknown`;
      this.#send({ type: "host_tool_result", id, result: toResult(text), isError: true }, id);
    }
  }

  async #execute({ id, toolCallId, toolName, arguments: args }: HostToolCall): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(id, controller);
    const isCurrent = () => this.#running.get(id) === controller;
    const sendUpdate = (partial: HostToolOutput) => {
      if (isCurrent()) this.#send({ type: "host_tool_update", id, partialResult: toResult(partial) }, id);
    };
    const finish = (frame: Frame) => {
      if (!isCurrent()) return;
      this.#send(frame, id); // throws if the result is not JSON
      this.#keep(id, frame);
    };
    try {
      const tool = this.#tools.get(toolName);
      if (!tool) throw new Error(`Host tool "${toolName}" is not registered`);
      const { isError, ...result } = toResult(await tool.execute(args, { toolCallId, signal, sendUpdate }));
      finish({ type: "host_tool_result", id, result, ...(isError && { isError }) });
    } catch (error) {
      finish({ type: "host_tool_result", id, result: toResult(errorText(error)), isError: true });
    } finally {
      if (isCurrent()) this.#running.delete(id);
    }
  }

  #keep(id: string, frame: Frame): void {
    this.#results.set(id, frame);
    const [oldest] = this.#results.keys();
    if (this.#results.size > KEPT_RESULTS && oldest !== undefined) this.#results.delete(oldest);
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
