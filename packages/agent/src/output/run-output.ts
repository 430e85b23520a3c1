import { type AssistantMessage, type Model, type ToolCall, type ToolDefinition, textsOf } from "@pintle/ai";
import type { ToolResult } from "../types.ts";
import { validatorFor } from "../validate-arguments.ts";
import { OutputAttempts, type OutputRejection } from "./output-attempts.ts";
import { OUTPUT_TOOL_NAME, outputResult } from "./output-result.ts";
import { type OutputViolation, violationText } from "./output-violation.ts";
import { needsWrapper, wrapSchema } from "./output-wrapper.ts";
import { type OutputReading, type ReadingRules, readOutputText, readOutputValue } from "./read-output.ts";

export type OutputStrategy = "native" | "tool";

export interface RunOutputParts {
  /** The user's schema, already validated. */
  schema: object;
  /** The schema without annotations that the validator would enforce. */
  checked: object;
  maxRepairs: number;
  strategyFor(model: Model): OutputStrategy;
  /** Whether the provider accepts a forced tool in the next request. */
  canForce(model: Model): boolean;
  /** Why a valid output cannot be accepted yet, for the model; undefined if it can. */
  obstacle(): string | undefined;
  onRejected(rejection: OutputRejection): void;
}

/** What the schema adds to one model call. */
export interface OutputPlan {
  strategy: OutputStrategy;
  tool?: ToolDefinition;
  /** The call must use the tool. */
  isForced: boolean;
  format?: { name: string; schema: object };
}

/** Reads an output from an answer that was requested without a tool or format. `checked` is the schema for the validator. */
export function readPlainOutput(text: string, checked: object): OutputReading {
  return readOutputText(text, { check: validatorFor(checked), isWrapped: false, hasAddedNulls: false });
}

const FORMAT_NAME = "output";
const TOOL_DESCRIPTION =
  "Gives the final output of the task. Call it once, alone, when all work is done: the call ends the task. The arguments are the output, as the schema demands.";
const ACCEPTED_TEXT = "The output was accepted.";
const NEWER_TEXT = "Not used: the same message has a later output.";
const AGAIN_TEXT = "Give the output again when your work is done.";
const CUT: OutputViolation = { path: "", message: "must be complete: the answer hit the output limit" };
const NO_JSON: OutputViolation = { path: "", message: "must be valid JSON" };

/**
 * The output of one run: what is added to its model calls, which answers are accepted, and how many attempts are left.
 * The loop consults it before each call, for each call of the output tool, and after each answer without calls.
 */
export class RunOutput {
  readonly #parts: RunOutputParts;
  readonly #attempts: OutputAttempts;
  readonly #isWrapped: boolean;
  readonly #sent: object;
  readonly #check: ReadingRules["check"];
  #plan: OutputPlan | undefined;
  #hasFailedLast = false;
  #note: string | undefined;

  constructor(parts: RunOutputParts) {
    this.#parts = parts;
    this.#attempts = new OutputAttempts(parts.maxRepairs);
    const schema = parts.schema as Record<string, unknown>;
    this.#isWrapped = needsWrapper(schema);
    this.#sent = this.#isWrapped ? wrapSchema(schema) : schema;
    this.#check = validatorFor(parts.checked);
  }

  get accepted(): { value: unknown } | undefined {
    return this.#attempts.accepted;
  }

  get isExhausted(): boolean {
    return this.#attempts.isExhausted;
  }

  /** The first violation, for a run that has no attempts left. */
  get failureText(): string {
    const { firstError } = this.#attempts;
    return `The output does not match its schema: ${firstError ? violationText(firstError) : "there is none"}`;
  }

  /** For the result of the run. */
  get summary(): { output?: { value: unknown }; rejectedOutput?: { value: unknown }; outputAttempts: number } {
    const { accepted, rejected, count } = this.#attempts;
    return {
      ...(accepted && { output: accepted }),
      ...(this.isExhausted && rejected && { rejectedOutput: rejected }),
      outputAttempts: count,
    };
  }

  /** How the current call requests its output. */
  get strategy(): OutputStrategy | undefined {
    return this.#plan?.strategy;
  }

  get isForced(): boolean {
    return this.#plan?.isForced ?? false;
  }

  /** What is added to the next model call. `taken`: names of other tools that can be called. */
  plan(model: Model, taken: ReadonlySet<string>): OutputPlan {
    const strategy = this.#parts.strategyFor(model);
    if (strategy === "native") {
      this.#plan = { strategy, isForced: false, format: { name: FORMAT_NAME, schema: this.#sent } };
    } else {
      const tool = { name: freeName(taken), description: TOOL_DESCRIPTION, parameters: this.#sent };
      this.#plan = { strategy, tool, isForced: this.#hasFailedLast && this.#parts.canForce(model) };
    }
    return this.#plan;
  }

  isOutputCall({ name }: Pick<ToolCall, "name">): boolean {
    return this.#plan?.tool?.name === name;
  }

  /** Judges a call of the output tool after the other calls of its message. */
  takeCall(call: ToolCall, others: readonly { name: string; result: ToolResult }[], isLast: boolean): ToolResult {
    if (!isLast) return outputResult(NEWER_TEXT, true);
    if (call.argumentsError !== undefined) return this.#refusedCall([NO_JSON]);
    const reading = readOutputValue(call.arguments, this.#rules);
    if (reading.kind !== "valid") return this.#refusedCall(reading.errors, reading);
    const failed = others.find(({ result }) => result.isError === true);
    const obstacle = failed ? `The call of ${failed.name} in the same message failed.` : this.#parts.obstacle();
    if (obstacle === undefined) {
      this.#accept(reading.value);
      return { ...outputResult(ACCEPTED_TEXT), terminate: true };
    }
    if (!this.#attempts.setAside()) return this.#refusedCall([{ path: "", message: obstacle }], reading);
    return outputResult(`The output was not accepted yet. ${obstacle} ${AGAIN_TEXT}`, true);
  }

  /** A message with a call of the output tool hit the output limit. */
  cutCall(): void {
    this.#fail([CUT]);
    this.#note = undefined; // the result of the call reports it
  }

  /** Judges an answer without calls. */
  takeAnswer(message: AssistantMessage): void {
    if (message.stopReason === "length") {
      this.#fail([CUT]);
      return;
    }
    const reading = this.#readText(message);
    if (reading.kind !== "valid") {
      this.#fail(reading.errors, reading);
      return;
    }
    const obstacle = this.#parts.obstacle();
    if (obstacle === undefined) this.#accept(reading.value);
    else if (this.#attempts.setAside()) this.#note = `The output was not accepted yet. ${obstacle} ${AGAIN_TEXT}`;
    else this.#fail([{ path: "", message: obstacle }], reading);
  }

  /** A message follows an accepted output: the model has to answer again. */
  setAside(): void {
    if (!this.#attempts.accepted) return;
    if (this.#attempts.setAside()) this.#note = `The output before this message is no longer used. ${AGAIN_TEXT}`;
    else this.#fail([{ path: "", message: "must be the last thing that the run does" }]);
  }

  /** What the model has to read before its next answer, once. */
  takeNote(): string | undefined {
    const note = this.#note;
    this.#note = undefined;
    return note;
  }

  get #rules(): ReadingRules {
    return { check: this.#check, isWrapped: this.#isWrapped, hasAddedNulls: this.strategy === "native" };
  }

  /** Some models write a sentence in a separate block before the block with the output. */
  #readText({ content }: AssistantMessage): OutputReading {
    const texts = textsOf(content);
    const whole = readOutputText(texts.join(""), this.#rules);
    if (whole.kind !== "missing" || texts.length < 2) return whole;
    const last = readOutputText(texts.at(-1) ?? "", this.#rules);
    return last.kind === "missing" ? whole : last;
  }

  #accept(value: unknown): void {
    this.#hasFailedLast = false;
    this.#attempts.accept(value);
  }

  #refusedCall(errors: OutputViolation[], reading?: OutputReading): ToolResult {
    this.#fail(errors, reading);
    const text = this.#note ?? "";
    this.#note = undefined; // the result of the call reports it
    return outputResult(text, true);
  }

  #fail(errors: OutputViolation[], reading?: OutputReading): void {
    const value = reading && "value" in reading ? { value: reading.value } : undefined;
    this.#hasFailedLast = true;
    const rejection = this.#attempts.fail(errors, value);
    const how = this.#plan?.tool
      ? ` Call ${this.#plan.tool.name} with the corrected output.`
      : " Answer with the corrected JSON only.";
    this.#note = `The output does not match its schema:\n${errors.map((error) => `- ${violationText(error)}`).join("\n")}\n${this.isExhausted ? "No attempts are left." : how.trim()}`;
    this.#parts.onRejected(rejection);
  }
}

/** Another tool may have the name; then a number is appended to the output tool's. */
function freeName(taken: ReadonlySet<string>): string {
  let name = OUTPUT_TOOL_NAME;
  for (let number = 2; taken.has(name); number += 1) name = `${OUTPUT_TOOL_NAME}_${number}`;
  return name;
}
