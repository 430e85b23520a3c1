import { ABORTED_TEXT, cutText, errorText, isTooDeep, onAbort, TOO_DEEP_TEXT, type ToolCall } from "@pintle/ai";
import { validationText } from "./argument-errors.ts";
import { nearNames } from "./near-names.ts";
import type { RunContext } from "./run-context.ts";
import { RunEnded } from "./run-ended.ts";
import { errorResult, normalizeResult, syntheticResult } from "./tool-result.ts";
import type {
  Concurrency,
  Denial,
  PermitCall,
  Tool,
  ToolAnnotations,
  ToolCallDecision,
  ToolGate,
  ToolInvocation,
  ToolResult,
} from "./types.ts";
import { type Validation, validateArguments } from "./validate-arguments.ts";

const SKIPPED_TEXT = "Skipped due to queued user message. The call was not run; repeat it if it is still needed.";
export const NOT_STARTED_TEXT = `Tool execution was aborted: ${ABORTED_TEXT}`;
const STOPPED_TEXT = "Tool execution was aborted";
const DETACHED_TEXT = "Tool execution was aborted (tool did not stop)";

/** A call that is left when the run ends says why, so that the model does not take it for one that failed. */
function notStartedText({ reason }: AbortSignal): string {
  return reason instanceof RunEnded && reason.why !== undefined
    ? `Not run, because the run has ended: ${reason.why}.`
    : NOT_STARTED_TEXT;
}

interface CallSurroundings {
  batch: ToolInvocation["batch"];
  /** Names of the tools this model call was offered. */
  knownNames: readonly string[];
}

export function announceStart(run: RunContext, call: ToolCall, annotations?: ToolAnnotations): void {
  const { id, name, arguments: args, intent } = call;
  run.emit({
    type: "tool_execution_start",
    toolCallId: id,
    toolName: name,
    args,
    ...(intent !== undefined && { intent }),
    ...(annotations && { annotations }),
  });
}

/** One tool call from its arguments to its result. Never throws: whatever happens is a result the model can read. */
export class ToolCallExecution {
  readonly call: ToolCall;
  readonly #run: RunContext;
  readonly #tool: Tool | undefined;
  readonly #surroundings: CallSurroundings;
  readonly #validation: Validation;
  readonly #stop = new AbortController();
  readonly #steering = new AbortController();
  /** Fires when the call will not start any more. */
  readonly #givenUp = new AbortController();
  /** `running` from the moment the tool itself is called: before that it can still be skipped without a trace. */
  #state: "waiting" | "running" | "ended" = "waiting";
  #isSkipped = false;
  #returned: ToolResult | undefined;

  constructor(run: RunContext, call: ToolCall, tool: Tool | undefined, surroundings: CallSurroundings) {
    this.#run = run;
    this.call = call;
    this.#tool = tool;
    this.#surroundings = surroundings;
    this.#validation = this.#validate(call.arguments);
  }

  /** The call with the arguments of the model; none when it cannot run. */
  get asSent(): PermitCall | undefined {
    if (!this.#tool || !this.#validation.ok) return undefined;
    return { id: this.call.id, tool: this.#tool, args: this.#validation.args };
  }

  get concurrency(): Concurrency {
    if (this.#tool?.deferrable) return "exclusive";
    const declared = this.#tool?.concurrency ?? "shared";
    if (typeof declared !== "function") return declared;
    try {
      return this.#validation.ok ? declared(this.#validation.args as never) : "shared";
    } catch {
      return "exclusive"; // a tool that cannot tell is safest alone
    }
  }

  get serializeOn(): readonly string[] {
    try {
      const keys: unknown = this.#validation.ok ? this.#tool?.serializeOn?.(this.#validation.args as never) : [];
      return Array.isArray(keys) ? keys : [];
    } catch {
      return []; // the call itself will report what is wrong with its arguments
    }
  }

  /** The user steers and wants to be heard: what has not started is skipped, what only waits is cut short. */
  interrupt(): void {
    if (this.#state === "waiting") {
      this.#isSkipped = true;
      this.#givenUp.abort();
    }
    if (this.#state !== "running") return;
    this.#steering.abort();
    if (this.#tool?.interruptible) this.#stop.abort();
  }

  async run(): Promise<ToolResult> {
    announceStart(this.#run, this.call, this.#tool?.annotations);
    const refusal = this.#refusal();
    if (refusal) return refusal;
    if (!this.#tool) return errorResult(this.#unknownToolText());
    if (!this.#validation.ok) return errorResult(this.#validation.text);

    const { signal } = this.#run;
    const forget = onAbort(signal, () => {
      this.#stop.abort(signal.reason);
      this.#givenUp.abort(signal.reason);
    });
    try {
      const result = await this.#run.deadline.withinGrace("work", this.#execute(this.#tool, this.#validation.args));
      return result ?? this.#leaveBehind();
    } finally {
      forget();
      this.#state = "ended";
    }
  }

  /** Why the call must not start now. */
  #refusal(): ToolResult | undefined {
    if (this.#run.signal.aborted) return syntheticResult(notStartedText(this.#run.signal), "aborted");
    if (this.#isSkipped) return syntheticResult(SKIPPED_TEXT, "skipped");
    return undefined;
  }

  /** The end of a call that did not stop in time. What it has returned counts: its effects are there. */
  #leaveBehind(): ToolResult {
    if (this.#returned) return this.#returned;
    return this.#state === "running"
      ? syntheticResult(DETACHED_TEXT, "aborted", true)
      : syntheticResult(notStartedText(this.#run.signal), "aborted");
  }

  async #execute(tool: Tool, validated: Record<string, unknown>): Promise<ToolResult> {
    await this.#run.deps.delivered?.(); // an editor takes its picture of a file when it hears of the call
    const decision = await this.#ask();
    if (decision?.block) return errorResult(decision.reason || "Tool execution was blocked");
    const validation: Validation = decision?.arguments
      ? this.#validate(decision.arguments)
      : { ok: true, args: validated };
    if (!validation.ok) return errorResult(validation.text);
    let refusal = this.#refusal();
    const { gate } = this.#run.deps;
    // Between the last look for an abort and the start nothing is awaited.
    if (!refusal && gate) refusal = (await this.#denial(gate, tool, validation.args)) ?? this.#refusal();
    if (refusal) return refusal;

    this.#state = "running";
    this.#returned = await this.#invoke(tool, validation.args);
    const normal = await this.#amend(this.#returned);
    return decision?.arguments ? withEffectiveArguments(normal, validation.args) : normal;
  }

  /** Fails closed: a hook that cannot answer blocks the call. */
  async #ask(): Promise<ToolCallDecision | undefined> {
    try {
      return await this.#run.deps.hooks?.toolCall?.(this.call, this.#run.signal, this.#tool?.annotations);
    } catch (error) {
      return { block: true, reason: errorText(error) };
    }
  }

  /** Fails closed as well. A call that was given up meanwhile says so. */
  async #denial(gate: ToolGate, tool: Tool, args: Record<string, unknown>): Promise<ToolResult | undefined> {
    const ask = async () => gate.permit({ id: this.call.id, tool, args }, this.#givenUp.signal);
    const denial = await ask().catch((error): Denial => ({ text: errorText(error) }));
    if (!denial) return undefined;
    const refusal = this.#refusal();
    if (denial.endsRun) this.#run.abort("denied", denial.endReason);
    return refusal ?? errorResult(denial.text);
  }

  async #amend(result: ToolResult): Promise<ToolResult> {
    try {
      const change = await this.#run.deps.hooks?.toolResult?.(this.call, result);
      return change ? normalizeResult({ ...result, ...withoutUndefined(change) }) : result;
    } catch {
      return result; // a hook that fails has nothing to say; who offers it reports the fault
    }
  }

  async #invoke(tool: Tool, args: Record<string, unknown>): Promise<ToolResult> {
    const signal = tool.nonAbortable ? new AbortController().signal : this.#stop.signal;
    try {
      return normalizeResult(
        await tool.execute(args as never, {
          id: this.call.id,
          signal,
          steeringSignal: this.#steering.signal,
          update: (partialResult) => this.#update(partialResult),
          batch: this.#surroundings.batch,
        }),
      );
    } catch (error) {
      if (!isAbortError(error, signal)) return errorResult(errorText(error));
      return syntheticResult(STOPPED_TEXT, this.#run.signal.aborted ? "aborted" : "skipped", true);
    }
  }

  #update(partialResult: ToolResult): void {
    if (this.#state !== "running" || isTooDeep(partialResult)) return; // the whole result will be refused with a reason
    const { id, name, arguments: args } = this.call;
    this.#run.emit({ type: "tool_execution_update", toolCallId: id, toolName: name, args, partialResult });
  }

  #validate(sent: Record<string, unknown>): Validation {
    const { call } = this;
    const tool = this.#tool;
    if (!tool) return { ok: true, args: sent };
    if (isTooDeep(sent)) return { ok: false, text: `Tool ${call.name} was called with arguments ${TOO_DEEP_TEXT}` };
    if (call.argumentsError !== undefined) {
      const error = { keyword: "json", instancePath: "", message: call.argumentsError, params: {} };
      return { ok: false, text: validationText(call.name, [error], {}) };
    }
    try {
      // A copy, because history keeps the call as the model sent it.
      const validation = validateArguments(
        tool,
        tool.prepareArguments ? tool.prepareArguments(structuredClone(sent)) : sent,
      );
      return validation.ok || !tool.explainsFaults
        ? validation
        : { ok: false, text: withSchema(validation.text, tool) };
    } catch (error) {
      return { ok: false, text: `Tool ${call.name} cannot check its arguments: ${errorText(error)}` };
    }
  }

  #unknownToolText(): string {
    const near = nearNames(this.call.name, this.#surroundings.knownNames);
    const hint = near.length > 0 ? `. Similar names: ${near.join(", ")}` : "";
    return `Tool ${this.call.name} not found${hint}`;
  }
}

const MAX_SCHEMA_TEXT = 16_384;

function withSchema(text: string, { parameters }: Tool): string {
  return `${text}\n\nThe schema of its arguments:\n${cutText(JSON.stringify(parameters), MAX_SCHEMA_TEXT)}`;
}

function withEffectiveArguments(result: ToolResult, args: Record<string, unknown>): ToolResult {
  return { ...result, details: { ...(result.details as object | undefined), effectiveArguments: args } };
}

/** A field that is named without a value is left as it is. */
function withoutUndefined(change: Partial<ToolResult>): Partial<ToolResult> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

function isAbortError(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}
