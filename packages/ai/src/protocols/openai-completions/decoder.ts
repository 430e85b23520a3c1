import { ProviderError } from "../../errors.ts";
import type { MessageBuilder } from "../../message-builder.ts";
import type { Model } from "../../model.ts";
import { toStreamError } from "../../transport/error-response.ts";
import type { ServerEvent } from "../../transport/sse.ts";
import type { Decoder } from "../protocol.ts";
import { detailText, ReasoningDetails, reasoningField } from "./reasoning.ts";
import { ToolCallAssembler } from "./tool-calls.ts";
import { readUsage } from "./usage.ts";
import type { WireChunk, WireContentPart, WireDelta } from "./wire.ts";

type Finish = "length" | (() => ProviderError);

/** Any other reason means `stop`; the calls themselves show whether tools are called. */
const FINISH_REASONS: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ["length", "length"],
  ["max_tokens", "length"],
  [
    "model_context_window_exceeded",
    () => new ProviderError("overflow", "model_context_window_exceeded: no room is left"),
  ],
  ["content_filter", () => new ProviderError("refused", "The provider's content filter stopped the answer")],
  ["sensitive", () => new ProviderError("refused", "The provider's content filter stopped the answer")],
  ["error", () => new ProviderError("server", "The provider ended the answer with an error")],
  ["network_error", () => new ProviderError("network", "The provider ended the answer with a network error")],
]);

export class CompletionsDecoder implements Decoder {
  readonly #model: Model;
  readonly #out: MessageBuilder;
  readonly #toolCalls: ToolCallAssembler;
  readonly #details = new ReasoningDetails();
  #text: number | undefined;
  #thinking: number | undefined;
  /** The block that stores OpenRouter's items. */
  #firstThinking: number | undefined;
  #hasId = false;
  #finish: "stop" | "length" | undefined;

  constructor(model: Model, out: MessageBuilder) {
    this.#model = model;
    this.#out = out;
    this.#toolCalls = new ToolCallAssembler(out, () => this.#endProse());
  }

  get isComplete(): boolean {
    return this.#finish !== undefined;
  }

  event({ event, data }: ServerEvent): void {
    if (data === "[DONE]") {
      this.#complete();
      return;
    }
    const chunk = this.#parse(data, event);
    if (!chunk) return;
    if (chunk.error || chunk.type === "error" || event === "error") throwStreamError(chunk);
    this.#out.start();
    if (!this.#hasId && typeof chunk.id === "string" && chunk.id !== "") {
      this.#hasId = true;
      this.#out.setResponseId(chunk.id);
      this.#out.setResponseModel(chunk.model);
    }
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (choice?.error) throwStreamError(choice);
    const usage = chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage;
    if (usage) this.#out.setUsage(readUsage(this.#model, usage));
    if (choice?.delta) this.#delta(choice.delta);
    const reason = choice?.finish_reason;
    if (typeof reason === "string" && reason !== "") this.#finished(reason);
    // Statistics come last; not every server sends [DONE] after them.
    else if (usage && !choice && this.isComplete) this.#complete();
  }

  end(): void {
    if (!this.isComplete) throw new ProviderError("truncated", "Provider stream ended before completion");
    this.#complete();
  }

  #parse(data: string, event: string | undefined): WireChunk | undefined {
    try {
      const value: unknown = JSON.parse(data);
      return typeof value === "object" && value !== null ? value : undefined;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const isForUs = event === undefined || event === "message" || event === "error";
      if (data.trim() === "" || !isForUs || this.isComplete) return undefined;
      throw new ProviderError("protocol", `The server sent data that is not JSON: ${quote(data)}`);
    }
  }

  #delta(delta: WireDelta): void {
    const { content } = delta;
    const field = reasoningField(delta);
    if (field) this.#think(delta[field] as string, field);
    if (delta.reasoning_details) this.#addDetails(delta.reasoning_details, field !== undefined);
    if (typeof content === "string") this.#say(content);
    else if (Array.isArray(content)) this.#addParts(content);
    if (typeof delta.refusal === "string") this.#say(delta.refusal);
    if (Array.isArray(delta.tool_calls)) {
      for (const call of delta.tool_calls) if (call) this.#toolCalls.add(call);
    }
  }

  #say(text: string): void {
    if (text === "") return;
    if (this.#text === undefined) {
      this.#endProse();
      this.#text = this.#out.startText();
    }
    this.#out.append(this.#text, text);
  }

  #think(text: string, field?: string): void {
    this.#out.append(this.#thinkingBlock(field), text);
  }

  #thinkingBlock(field?: string): number {
    if (this.#thinking === undefined) {
      this.#endProse();
      this.#thinking = this.#out.startThinking();
      this.#firstThinking ??= this.#thinking;
      if (field) this.#out.sign(this.#thinking, field);
    }
    return this.#thinking;
  }

  /** Mistral sends lists of parts, including thoughts. */
  #addParts(parts: readonly (WireContentPart | null)[]): void {
    for (const part of parts) {
      if (typeof part?.text === "string") this.#say(part.text);
      else if (typeof part?.thinking === "string") this.#think(part.thinking);
      else if (Array.isArray(part?.thinking)) {
        for (const thought of part.thinking) if (typeof thought?.text === "string") this.#think(thought.text);
      }
    }
  }

  /** `isRepeated`: another field contains the same words. */
  #addDetails(details: NonNullable<WireDelta["reasoning_details"]>, isRepeated: boolean): void {
    if (!Array.isArray(details)) return;
    for (const detail of details) {
      if (typeof detail !== "object" || detail === null) continue;
      this.#details.add(detail);
      if (isRepeated) continue;
      const text = detailText(detail);
      if (text !== "") this.#think(text);
      else if (this.#firstThinking === undefined) this.#thinkingBlock();
    }
  }

  /** Text and thoughts end when another block begins. */
  #endProse(): void {
    if (this.#text !== undefined) this.#out.end(this.#text);
    if (this.#thinking !== undefined) this.#out.end(this.#thinking);
    this.#text = undefined;
    this.#thinking = undefined;
  }

  #finished(reason: string): void {
    const finish = FINISH_REASONS.get(reason) ?? "stop";
    if (typeof finish === "function") throw finish();
    this.#finish = finish;
  }

  #complete(): void {
    this.#finish ??= "stop";
    this.#toolCalls.finish();
    const details = this.#details.toJson();
    if (details && this.#firstThinking !== undefined) this.#out.sign(this.#firstThinking, details);
    const isToolUse = this.#finish === "stop" && this.#toolCalls.hasCalls;
    this.#out.finish(isToolUse ? "toolUse" : this.#finish);
  }
}

/** Some servers send the error itself as the event, without an `error` field. */
function throwStreamError(holder: object): never {
  throw toStreamError(holder) ?? toStreamError({ error: holder }) ?? new ProviderError("server", "Unknown error");
}

const QUOTED_CHARS = 200;

/** Returns a bounded piece of foreign text without terminal control sequences. */
function quote(data: string): string {
  const start = JSON.stringify(data.slice(0, QUOTED_CHARS)).replace(/[\u007f-\u009f]/g, " ");
  return data.length > QUOTED_CHARS ? `${start}…` : start;
}
