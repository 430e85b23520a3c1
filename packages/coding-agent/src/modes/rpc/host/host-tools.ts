import type { Tool, ToolInvocation, ToolResult } from "@pintle/agent";
import type { AskHost, HostFields } from "../../../session/host-question.ts";
import type { TraceOf } from "../../../traces/trace-headers.ts";
import { type HostToolDefinition, parseHostTools } from "./host-tool-definitions.ts";
import { isToolResult, toToolResult } from "./host-tool-result.ts";
import type { PendingCalls } from "./pending-calls.ts";

const HOST_GONE_TEXT = "RPC client disconnected before host tool execution completed";

export interface HostToolsParts {
  ask: AskHost;
  pending: Pick<PendingCalls, "answer" | "update">;
  /** How long a tool without its own limit may be silent. */
  timeoutMs(): number;
  /** The parts of a call that the host receives. */
  traceOf?: TraceOf | undefined;
}

export interface HostTool {
  tool: Tool;
  /** Whether the tool is registered but inactive until it is requested. */
  isHidden: boolean;
}

/** Tools that run in the host. A call is independent of its tool: it continues if the tool is replaced or removed. */
export class HostTools {
  readonly #parts: HostToolsParts;
  readonly #knownNames = new Set<string>();

  constructor(parts: HostToolsParts) {
    this.#parts = parts;
  }

  /** Replaces all host tools, in the order of the list. Throws SessionError and changes nothing if the list is refused. */
  async define(tools: unknown, isTaken: (name: string) => boolean): Promise<HostTool[]> {
    const definitions = await parseHostTools(tools, isTaken);
    for (const { name } of definitions) this.#knownNames.add(name);
    return definitions.map((definition) => ({ tool: this.#toTool(definition), isHidden: definition.isHidden }));
  }

  /** Whether a call belongs to a host tool, including removed ones, whose last progress may still arrive. */
  isHostTool(name: string): boolean {
    return this.#knownNames.has(name);
  }

  onResult(frame: HostFields): void {
    this.#parts.pending.answer("host_tool", frame.id, frame);
  }

  /** Reports progress. Ignores frames of the wrong shape. */
  onUpdate({ id, partialResult }: HostFields): void {
    if (isToolResult(partialResult)) this.#parts.pending.update("host_tool", id, partialResult);
  }

  #toTool(definition: HostToolDefinition): Tool {
    const { name, label, description, parameters, annotations } = definition;
    return {
      name,
      label,
      description,
      parameters,
      ...(annotations && { annotations }),
      concurrency: "shared",
      execute: (args, call) => this.#execute(definition, args as Record<string, unknown>, call),
    };
  }

  async #execute(
    { name, timeoutMs = this.#parts.timeoutMs() }: HostToolDefinition,
    args: Record<string, unknown>,
    call: ToolInvocation,
  ): Promise<ToolResult> {
    const { ask, traceOf } = this.#parts;
    const timeoutText = `Host tool "${name}" timed out after ${timeoutMs / 1000} seconds`;
    const subagent = call.caller && { subagent: call.caller };
    const end = await ask("host_tool", {
      fields: () => ({
        toolCallId: call.id,
        toolName: name,
        arguments: args,
        ...subagent,
        ...traceOf?.(call.id),
      }),
      about: { toolName: name, toolCallId: call.id, ...subagent },
      signals: [call.signal],
      timeoutMs,
      default: `the call fails: ${timeoutText}`,
      onUpdate: (partialResult) => call.update(partialResult as ToolResult),
    });
    if (end.by === "host") return toToolResult(name, end.answer);
    if (end.by === "abort") throw new Error(`Host tool "${name}" was aborted`);
    throw new Error(end.by === "timeout" ? timeoutText : HOST_GONE_TEXT);
  }
}
