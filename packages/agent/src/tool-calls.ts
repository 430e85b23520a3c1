import type { ToolCall, ToolResultMessage } from "@pintle/ai";
import { CallSchedule, CommandSlots } from "./call-schedule.ts";
import type { RunOutput } from "./output/run-output.ts";
import type { RunContext } from "./run-context.ts";
import { ToolCatalog } from "./tool-catalog.ts";
import { announceStart, NOT_STARTED_TEXT, ToolCallExecution } from "./tool-execution.ts";
import { type SyntheticSource, syntheticResult, toResultMessage, toWireResult } from "./tool-result.ts";
import type { Tool, ToolResult } from "./types.ts";

export interface BatchResult {
  /** In the order of the calls. */
  results: ToolResultMessage[];
  /** Every result requested the end of the run. */
  terminate: boolean;
}

/** The tool calls of one message. */
export class ToolBatch {
  readonly #run: RunContext;
  readonly #calls: readonly ToolCall[];
  readonly #order: ReadonlyMap<string, number>;
  readonly #results: ToolResultMessage[] = [];

  constructor(run: RunContext, calls: readonly ToolCall[]) {
    this.#run = run;
    this.#calls = calls;
    this.#order = new Map(calls.map((call, index) => [call.id, index]));
  }

  /** Runs the calls in parallel as far as their kinds allow (see `call-schedule.ts`), and the run's output last. */
  async execute(
    tools: readonly Tool[],
    batchId: string,
    { undeclared = [], output }: { undeclared?: readonly Tool[]; output?: RunOutput | undefined } = {},
  ): Promise<BatchResult> {
    const own = this.#calls.filter((call) => output?.isOutputCall(call));
    const calls = this.#calls.filter((call) => !own.includes(call));
    const catalog = new ToolCatalog(tools, undeclared);
    const meant = calls.map((call) => catalog.meant(call));
    const names = meant.map(({ call }) => call.name);
    const slots = new CommandSlots(this.#run.deps.limits().maxParallelCommands);
    const executions = meant.map(
      ({ call, tool }, index) =>
        new ToolCallExecution(this.#run, call, tool, {
          batch: { id: batchId, index, total: names.length, names },
          catalog,
          slots,
        }),
    );
    const interrupt = () => {
      const isWanted = this.#run.deps.interruptMode() === "immediate" && this.#run.state.queue.hasSteering;
      if (isWanted) for (const execution of executions) execution.interrupt();
    };
    const unsubscribe = this.#run.state.queue.subscribe(interrupt);
    interrupt();
    this.#run.deps.authorizer?.announce(
      executions.flatMap((execution) => execution.asSent ?? []),
      this.#run.signal,
    );
    const start = async (execution: ToolCallExecution) => {
      const result = await execution.run();
      await this.#finish(execution.call, result, execution.durationMs);
      interrupt();
      return result;
    };
    const schedule = new CallSchedule(slots);
    const finished = executions.map((execution) => schedule.add(execution, () => start(execution)));
    try {
      const results = await Promise.all(finished);
      if (output) {
        await this.#takeOutput(
          output,
          own,
          results.map((result, index) => ({ name: names[index] ?? "", result })),
        );
      }
      // A run that owes an output ends only with that output.
      const terminate = output ? output.accepted !== undefined : results.every((result) => result.terminate === true);
      return { results: this.#inCallOrder(), terminate };
    } finally {
      unsubscribe();
    }
  }

  /** Neither hooks nor permissions see these calls: they only end the run. */
  async #takeOutput(
    output: RunOutput,
    calls: readonly ToolCall[],
    others: readonly { name: string; result: ToolResult }[],
  ): Promise<void> {
    for (const [index, call] of calls.entries()) {
      announceStart(this.#run, call);
      const result = this.#run.signal.aborted
        ? syntheticResult(NOT_STARTED_TEXT, "aborted")
        : output.takeCall(call, others, index === calls.length - 1);
      await this.#finish(call, result, 0);
    }
  }

  /** Answers every call with a synthetic error: the message failed, was aborted or truncated. */
  async refuse(source: SyntheticSource, text: string): Promise<ToolResultMessage[]> {
    for (const call of this.#calls) {
      announceStart(this.#run, call);
      await this.#finish(call, syntheticResult(text, source), 0);
    }
    return this.#inCallOrder();
  }

  /** The end of a call and its result message are emitted together. */
  #finish(call: ToolCall, result: ToolResult, durationMs: number): Promise<void> {
    return this.#run.inOrder(async () => {
      const timestamp = this.#run.deps.clock.now();
      const message = await this.#run.finalize({ ...toResultMessage(call, result, timestamp), durationMs });
      this.#run.emit({
        type: "tool_execution_end",
        toolCallId: call.id,
        toolName: call.name,
        result: toWireResult(result),
        isError: result.isError === true,
        ...(result.isWarning && { isWarning: true }),
        durationMs,
      });
      this.#results.push(this.#run.announce(message, this.#order));
    });
  }

  #inCallOrder(): ToolResultMessage[] {
    const place = (result: ToolResultMessage) => this.#order.get(result.toolCallId) ?? 0;
    return this.#results.sort((a, b) => place(a) - place(b));
  }
}

export { NOT_STARTED_TEXT };
