import type { ToolCall, ToolResultMessage } from "@pintle/ai";
import type { RunContext } from "./run-context.ts";
import { announceStart, NOT_STARTED_TEXT, ToolCallExecution } from "./tool-execution.ts";
import { type SyntheticSource, syntheticResult, toResultMessage } from "./tool-result.ts";
import type { Concurrency, Tool, ToolResult } from "./types.ts";

export interface BatchResult {
  /** In the order of the calls. */
  results: ToolResultMessage[];
  /** Every result asked to end the run. */
  terminate: boolean;
}

/** One message's tool calls. */
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

  /** Runs the calls: shared ones together, exclusive ones alone, calls on one file in order. */
  async execute(tools: readonly Tool[], batchId: string, undeclared: readonly Tool[] = []): Promise<BatchResult> {
    const byName = new Map([...undeclared, ...tools].map((tool) => [tool.name, tool]));
    const byAlias = new Map(tools.flatMap((tool) => (tool.aliases ?? []).map((alias) => [alias, tool])));
    const meant = this.#calls.map((call) => forwarded(call, byName.get(call.name) ?? byAlias.get(call.name)));
    const names = meant.map(({ call }) => call.name);
    const executions = meant.map(
      ({ call, tool }, index) =>
        new ToolCallExecution(this.#run, call, tool, {
          batch: { id: batchId, index, total: names.length, names },
          knownNames: [...byName.keys()],
        }),
    );
    const interrupt = () => {
      const isWanted = this.#run.deps.interruptMode() === "immediate" && this.#run.state.queue.hasSteering;
      if (isWanted) for (const execution of executions) execution.interrupt();
    };
    const unsubscribe = this.#run.state.queue.subscribe(interrupt);
    interrupt();
    this.#run.deps.gate?.announce(
      executions.flatMap((execution) => execution.asSent ?? []),
      this.#run.signal,
    );
    const finished = schedule(executions, async (execution) => {
      const result = await execution.run();
      await this.#finish(execution.call, result);
      interrupt();
      return result;
    });
    try {
      const results = await Promise.all(finished);
      return { results: this.#inCallOrder(), terminate: results.every(({ terminate }) => terminate === true) };
    } finally {
      unsubscribe();
    }
  }

  /** Answers every call with a made-up error: the message failed, was aborted or cut. */
  async refuse(source: SyntheticSource, text: string): Promise<ToolResultMessage[]> {
    for (const call of this.#calls) {
      announceStart(this.#run, call);
      await this.#finish(call, syntheticResult(text, source));
    }
    return this.#inCallOrder();
  }

  /** The end of a call and its result message leave together. */
  #finish(call: ToolCall, result: ToolResult): Promise<void> {
    return this.#run.inOrder(async () => {
      const message = await this.#run.finalize(toResultMessage(call, result, this.#run.deps.clock.now()));
      this.#run.emit({
        type: "tool_execution_end",
        toolCallId: call.id,
        toolName: call.name,
        result: toWireResult(result),
        isError: result.isError === true,
        ...(result.isWarning && { isWarning: true }),
      });
      this.#results.push(this.#run.announce(message, this.#order));
    });
  }

  #inCallOrder(): ToolResultMessage[] {
    const place = (result: ToolResultMessage) => this.#order.get(result.toolCallId) ?? 0;
    return this.#results.sort((a, b) => place(a) - place(b));
  }
}

/** The call of the tool that is meant; the conversation keeps what the model sent. */
function forwarded(call: ToolCall, tool: Tool | undefined): { call: ToolCall; tool: Tool | undefined } {
  const target = tool?.forward?.(call.arguments);
  return target
    ? { call: { ...call, name: target.tool.name, arguments: target.args }, tool: target.tool }
    : { call, tool };
}

/** What hosts see of a result; how it ends the run is between the tool and the loop. */
function toWireResult({ content, details, isWarning }: ToolResult): ToolResult {
  return { content, ...(details !== undefined && { details }), ...(isWarning && { isWarning }) };
}

/**
 * Starts each call as soon as its predecessors allow. A shared call waits for the last exclusive one, an exclusive call for
 * everything before it, and calls that name the same key for each other.
 */
function schedule(
  executions: readonly ToolCallExecution[],
  start: (execution: ToolCallExecution) => Promise<ToolResult>,
): Promise<ToolResult>[] {
  let lastExclusive: Promise<unknown> | undefined;
  let sharedSince: Promise<unknown>[] = [];
  const lastOnKey = new Map<string, Promise<unknown>>();
  return executions.map((execution) => {
    const concurrency: Concurrency = execution.concurrency;
    const keys = execution.serializeOn;
    const predecessors = [
      lastExclusive,
      ...(concurrency === "exclusive" ? sharedSince : []),
      ...keys.map((key) => lastOnKey.get(key)),
    ].filter((promise) => promise !== undefined);
    const done = predecessors.length === 0 ? start(execution) : Promise.all(predecessors).then(() => start(execution));
    if (concurrency === "exclusive") {
      lastExclusive = done;
      sharedSince = [];
    } else {
      sharedSince.push(done);
    }
    for (const key of keys) lastOnKey.set(key, done);
    return done;
  });
}

export { NOT_STARTED_TEXT };
