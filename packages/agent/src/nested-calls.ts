import { onAbort, type ToolCall } from "@pintle/ai";
import { CallSchedule } from "./call-schedule.ts";
import type { RunContext } from "./run-context.ts";
import { type CallSurroundings, type ParentCall, ToolCallExecution } from "./tool-execution.ts";
import { errorResult, toWireResult } from "./tool-result.ts";
import type { NestedCallOptions, NestedOutcome, NestedTools, Tool, ToolResult } from "./types.ts";

/** Limits a tool that calls itself. */
const MAX_DEPTH = 8;

const TOO_DEEP_TEXT = `A tool may call tools that call tools, at most ${MAX_DEPTH} times`;
const OVER_TEXT = "The tool that makes this call has ended";

interface Parent extends Omit<ParentCall, "onUpdate"> {
  /** Fires when the parent has to stop. */
  signal: AbortSignal;
}

/** The calls that one call makes. They take the same steps as calls by the model, and none outlives the call. */
export class NestedCalls implements NestedTools {
  readonly #run: RunContext;
  readonly #surroundings: CallSurroundings;
  readonly #parent: Parent;
  readonly #open = new Map<ToolCallExecution, Promise<unknown>>();
  readonly #schedule: CallSchedule;
  #count = 0;
  #isOver = false;

  constructor(run: RunContext, surroundings: CallSurroundings, parent: Parent) {
    this.#run = run;
    this.#surroundings = surroundings;
    this.#parent = parent;
    this.#schedule = new CallSchedule(surroundings.slots);
  }

  get tools(): readonly Tool[] {
    return this.#surroundings.catalog.tools.filter(({ modelOnly }) => !modelOnly);
  }

  async call(name: string, args: Record<string, unknown>, options: NestedCallOptions = {}): Promise<NestedOutcome> {
    this.#count += 1;
    const sent: ToolCall = { type: "toolCall", id: `${this.#parent.id}/${this.#count}`, name, arguments: args };
    if (this.#isOver) return outcome(sent, errorResult(OVER_TEXT), 0);
    if (this.#parent.depth > MAX_DEPTH) return outcome(sent, errorResult(TOO_DEEP_TEXT), 0);
    const { call, tool } = this.#surroundings.catalog.meant(sent);
    if (tool?.modelOnly) return outcome(sent, errorResult(`Only the model can call the tool ${tool.name}`), 0);
    const { signal: _signal, ...parent } = this.#parent;
    const execution = new ToolCallExecution(this.#run, call, tool, {
      ...this.#surroundings,
      parent: { ...parent, onUpdate: options.onUpdate },
    });
    const running = this.#start(execution, options.signal);
    this.#open.set(execution, running);
    try {
      return await running;
    } finally {
      this.#open.delete(execution);
    }
  }

  /** Stops running calls. Resolves when none is left. */
  async close(): Promise<void> {
    this.#isOver = true;
    const running = [...this.#open.values()];
    for (const execution of this.#open.keys()) execution.cancel();
    await Promise.all(running);
  }

  async #start(execution: ToolCallExecution, signal: AbortSignal | undefined): Promise<NestedOutcome> {
    const forget = [signal, this.#parent.signal].map((one) => one && onAbort(one, () => execution.cancel()));
    const result = await this.#schedule.add(execution, () => execution.run());
    for (const stop of forget) stop?.();
    const { call, durationMs } = execution;
    this.#run.emit({
      type: "tool_execution_end",
      toolCallId: call.id,
      toolName: call.name,
      parentToolCallId: this.#parent.id,
      result: toWireResult(result),
      isError: result.isError === true,
      ...(result.isWarning && { isWarning: true }),
      durationMs,
    });
    return outcome(call, result, durationMs);
  }
}

function outcome(toolCall: ToolCall, result: ToolResult, durationMs: number): NestedOutcome {
  return { toolCall, result, isError: result.isError === true, durationMs };
}
