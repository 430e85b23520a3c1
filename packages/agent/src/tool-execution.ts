import { ABORTED_TEXT, cutText, errorText, isTooDeep, onAbort, TOO_DEEP_TEXT, type ToolCall } from "@pintle/ai";
import { validationText } from "./argument-errors.ts";
import { CommandSlots } from "./call-schedule.ts";
import { CallTimer } from "./call-timer.ts";
import { nearNames } from "./near-names.ts";
import { NestedCalls } from "./nested-calls.ts";
import { prepareArguments } from "./parameter-names.ts";
import type { RunContext } from "./run-context.ts";
import { RunEnded } from "./run-end.ts";
import type { ToolCatalog } from "./tool-catalog.ts";
import { errorResult, normalizeResult, syntheticResult } from "./tool-result.ts";
import type {
  Concurrency,
  Denial,
  HookedCall,
  PermitCall,
  Tool,
  ToolAnnotations,
  ToolAuthorizer,
  ToolCallDecision,
  ToolInvocation,
  ToolResult,
} from "./types.ts";
import { type Validation, validateArguments } from "./validate-arguments.ts";

const SKIPPED_TEXT = "Skipped due to queued user message. The call was not run; repeat it if it is still needed.";
export const NOT_STARTED_TEXT = `Tool execution was aborted: ${ABORTED_TEXT}`;
const STOPPED_TEXT = "Tool execution was aborted";
const DETACHED_TEXT = "Tool execution was aborted (tool did not stop)";

/** A call that remains when the run ends says why, so that the model does not mistake it for a failure. */
function notStartedText({ reason }: AbortSignal): string {
  return reason instanceof RunEnded && reason.why !== undefined
    ? `Not run, because the run has ended: ${reason.why}.`
    : NOT_STARTED_TEXT;
}

/** The call that made another one. */
export interface ParentCall {
  id: string;
  /** The nesting depth of the call. */
  depth: number;
  /** Receives the progress of the call, in addition to the event. */
  onUpdate?: ((partial: ToolResult) => void) | undefined;
  /** Waiting for a decision on the nested call does not count as the parent's running time. */
  untimed<T>(decision: Promise<T>): Promise<T>;
}

export interface CallSurroundings {
  batch: ToolInvocation["batch"];
  /** Finds the tool that a call refers to. */
  catalog: ToolCatalog;
  /** The commands of a message, and those that its calls make, share one limit. */
  slots: CommandSlots;
  /** Set for a call that a tool made. */
  parent?: ParentCall;
}

export function announceStart(
  run: RunContext,
  call: ToolCall,
  annotations?: ToolAnnotations,
  parentToolCallId?: string,
): void {
  const { id, name, arguments: args, intent } = call;
  run.emit({
    type: "tool_execution_start",
    toolCallId: id,
    toolName: name,
    ...(parentToolCallId !== undefined && { parentToolCallId }),
    args,
    ...(intent !== undefined && { intent }),
    ...(annotations && { annotations }),
  });
}

/**
 * Runs one tool call from its arguments to its result. Never throws: every outcome is a result that the model can read.
 */
export class ToolCallExecution {
  readonly call: ToolCall;
  readonly #run: RunContext;
  readonly #tool: Tool | undefined;
  readonly #surroundings: CallSurroundings;
  readonly #validation: Validation;
  readonly #stop = new AbortController();
  readonly #steering = new AbortController();
  /** Fires when the call will no longer start. */
  readonly #givenUp = new AbortController();
  /** `running` from the moment the tool itself is called: before that it can still be skipped without a trace. */
  #state: "waiting" | "running" | "ended" = "waiting";
  #isSkipped = false;
  #isCancelled = false;
  #returned: ToolResult | undefined;
  #nested: NestedCalls | undefined;
  readonly #timer: CallTimer;

  constructor(run: RunContext, call: ToolCall, tool: Tool | undefined, surroundings: CallSurroundings) {
    this.#run = run;
    this.call = call;
    this.#tool = tool;
    this.#surroundings = surroundings;
    this.#validation = this.#validate(call.arguments);
    this.#timer = new CallTimer(run.deps.clock);
  }

  /** How long the tool itself has run: 0 for a call that was refused. */
  get durationMs(): number {
    return this.#timer.workedMs;
  }

  /** The call with the model's arguments; undefined if it cannot run. */
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
      return "exclusive"; // A tool that cannot tell runs alone, to be safe.
    }
  }

  get serializeOn(): readonly string[] {
    try {
      const keys: unknown = this.#validation.ok ? this.#tool?.serializeOn?.(this.#validation.args as never) : [];
      return Array.isArray(keys) ? keys : [];
    } catch {
      return []; // The call itself reports what is wrong with its arguments.
    }
  }

  /** Skips the call if it has not started, and ends it early if it only waits. Any other running call finishes. */
  interrupt(): void {
    if (this.#state === "waiting") {
      this.#isSkipped = true;
      this.#givenUp.abort();
    }
    if (this.#state !== "running") return;
    this.#steering.abort();
    if (this.#tool?.interruptible) this.#stop.abort();
  }

  /** Ends the call without ending the run: its parent has stopped it. */
  cancel(): void {
    this.#isCancelled = true;
    this.#givenUp.abort();
    this.#stop.abort();
  }

  async run(): Promise<ToolResult> {
    announceStart(this.#run, this.call, this.#tool?.annotations, this.#surroundings.parent?.id);
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
      const result = await this.#run.deadline.withinGrace("work", this.#execute(this.#tool, this.#validation));
      if (result) return result;
      await this.#nested?.close(); // Their grace period has expired as well: their ends come before the end of this call.
      return this.#leaveBehind();
    } finally {
      forget();
      this.#timer.stop();
      this.#state = "ended";
    }
  }

  /** Why the call must not start now. */
  #refusal(): ToolResult | undefined {
    if (this.#run.signal.aborted) return syntheticResult(notStartedText(this.#run.signal), "aborted");
    if (this.#isCancelled) return syntheticResult(NOT_STARTED_TEXT, "aborted");
    if (this.#isSkipped) return syntheticResult(SKIPPED_TEXT, "skipped");
    return undefined;
  }

  /** Ends a call that did not stop in time. If it has returned, its result is used: its effects are real. */
  #leaveBehind(): ToolResult {
    if (this.#returned) return this.#returned;
    return this.#state === "running"
      ? syntheticResult(DETACHED_TEXT, "aborted", true)
      : syntheticResult(notStartedText(this.#run.signal), "aborted");
  }

  async #execute(tool: Tool, validated: Validation): Promise<ToolResult> {
    await this.#run.deps.delivered?.(); // An editor takes its snapshot of a file when it receives the call.
    const decision = await this.#ask(tool);
    if (decision?.block) return errorResult(decision.reason || "Tool execution was blocked");
    const validation = decision?.arguments ? this.#validate(decision.arguments) : validated;
    if (!validation.ok) return errorResult(validation.text);
    let refusal = this.#refusal();
    const { authorizer } = this.#run.deps;
    // Nothing is awaited between the last check for an abort and the start.
    if (!refusal && authorizer) refusal = (await this.#denial(authorizer, tool, validation.args)) ?? this.#refusal();
    if (refusal) return refusal;

    this.#state = "running";
    this.#timer.start();
    this.#returned = await this.#invoke(tool, validation.args);
    this.#timer.stop();
    if (validation.note !== undefined) this.#returned = withNote(this.#returned, validation.note);
    const normal = await this.#amend(this.#returned);
    return decision?.arguments ? withEffectiveArguments(normal, validation.args) : normal;
  }

  /** Fails closed: a hook that cannot answer blocks the call. */
  async #ask(tool: Tool): Promise<ToolCallDecision | undefined> {
    // A hook checks declared names: a command under another name would bypass it.
    const call = tool.parameterNames
      ? { ...this.#hooked, arguments: prepareArguments(tool, this.call.arguments) }
      : this.#hooked;
    try {
      return await this.#run.deps.hooks?.toolCall?.(call, this.#run.signal, tool.annotations);
    } catch (error) {
      return { block: true, reason: errorText(error) };
    }
  }

  /** Also fails closed. A call that was abandoned meanwhile says so. */
  async #denial(
    authorizer: ToolAuthorizer,
    tool: Tool,
    args: Record<string, unknown>,
  ): Promise<ToolResult | undefined> {
    const ask = async () => authorizer.permit({ id: this.call.id, tool, args }, this.#givenUp.signal);
    const answer = ask().catch((error): Denial => ({ text: errorText(error) }));
    const denial = await (this.#surroundings.parent?.untimed(answer) ?? answer);
    if (!denial) return undefined;
    const refusal = this.#refusal();
    if (denial.endsRun) this.#run.abort("denied", denial.endReason);
    return refusal ?? errorResult(denial.text);
  }

  async #amend(result: ToolResult): Promise<ToolResult> {
    try {
      const change = await this.#run.deps.hooks?.toolResult?.(this.#hooked, result);
      return change ? normalizeResult({ ...result, ...withoutUndefined(change) }) : result;
    } catch {
      return result; // A failing hook changes nothing; its owner reports the fault.
    }
  }

  get #hooked(): HookedCall {
    const { parent } = this.#surroundings;
    return parent ? { ...this.call, parentToolCallId: parent.id } : this.call;
  }

  /** A command holds its slot while it waits for its own calls, so they must not wait for the same slots. */
  get #surroundingsOfNested(): CallSurroundings {
    if (this.concurrency !== "command") return this.#surroundings;
    return { ...this.#surroundings, slots: new CommandSlots(this.#run.deps.limits().maxParallelCommands) };
  }

  async #invoke(tool: Tool, args: Record<string, unknown>): Promise<ToolResult> {
    const signal = tool.nonAbortable ? new AbortController().signal : this.#stop.signal;
    this.#nested = new NestedCalls(this.#run, this.#surroundingsOfNested, {
      id: this.call.id,
      depth: (this.#surroundings.parent?.depth ?? 0) + 1,
      untimed: (decision) => this.#timer.exclude(decision),
      signal,
    });
    const invocation: ToolInvocation = {
      id: this.call.id,
      signal,
      steeringSignal: this.#steering.signal,
      update: (partialResult) => this.#update(partialResult),
      untimed: (decision) => this.#timer.exclude(decision),
      batch: this.#surroundings.batch,
      nested: this.#nested,
    };
    const execute = () => tool.execute(args as never, invocation);
    const { around } = this.#run.deps;
    try {
      return normalizeResult(await (around ? around({ id: this.call.id, tool, args }, signal, execute) : execute()));
    } catch (error) {
      if (!isAbortError(error, signal)) return errorResult(errorText(error));
      return syntheticResult(STOPPED_TEXT, this.#run.signal.aborted ? "aborted" : "skipped", true);
    } finally {
      await this.#nested.close();
    }
  }

  #update(partialResult: ToolResult): void {
    if (this.#state !== "running" || isTooDeep(partialResult)) return; // the whole result will be refused with a reason
    const { id, name, arguments: args } = this.call;
    const { parent } = this.#surroundings;
    this.#run.emit({
      type: "tool_execution_update",
      toolCallId: id,
      toolName: name,
      ...(parent && { parentToolCallId: parent.id }),
      args,
      partialResult,
    });
    parent?.onUpdate?.(partialResult);
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
      const validation = validateArguments(tool, sent);
      return validation.ok || !tool.explainsFaults
        ? validation
        : { ok: false, text: withSchema(validation.text, tool) };
    } catch (error) {
      return { ok: false, text: `Tool ${call.name} cannot check its arguments: ${errorText(error)}` };
    }
  }

  #unknownToolText(): string {
    const knownNames = this.#surroundings.catalog.names;
    const near = nearNames(this.call.name, knownNames);
    const hint = near.length > 0 ? `. Similar names: ${near.join(", ")}` : "";
    const isShort = knownNames.length > near.length && knownNames.length <= MAX_LISTED;
    return `Tool ${this.call.name} not found${hint}${isShort ? `. Your tools: ${knownNames.join(", ")}` : ""}`;
  }
}

const MAX_LISTED = 40;
const MAX_SCHEMA_TEXT = 16_384;

function withSchema(text: string, { parameters }: Tool): string {
  return `${text}\n\nThe schema of its arguments:\n${cutText(JSON.stringify(parameters), MAX_SCHEMA_TEXT)}`;
}

/** Appends a line to the text of a result. */
function withNote(result: ToolResult, note: string): ToolResult {
  const last = result.content.at(-1);
  if (last?.type !== "text") return { ...result, content: [...result.content, { type: "text", text: note }] };
  const separator = last.text.endsWith("\n") ? "\n" : "\n\n";
  return { ...result, content: [...result.content.slice(0, -1), { ...last, text: `${last.text}${separator}${note}` }] };
}

function withEffectiveArguments(result: ToolResult, args: Record<string, unknown>): ToolResult {
  return { ...result, details: { ...(result.details as object | undefined), effectiveArguments: args } };
}

/** A field that is present without a value stays unchanged. */
function withoutUndefined(change: Partial<ToolResult>): Partial<ToolResult> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

function isAbortError(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === "AbortError"));
}
