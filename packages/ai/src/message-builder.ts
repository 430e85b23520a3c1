import { parsePartialObject } from "@pintle/client/partial-json";
import { tooLongError } from "./answer-limits.ts";
import { ABORTED_TEXT, ProviderError } from "./errors.ts";
import { cutText } from "./foundation/cut-text.ts";
import { errorText } from "./foundation/error-text.ts";
import { isRecord } from "./foundation/is-record.ts";
import type { AssistantContent, AssistantMessage, TextContent, ThinkingContent, ToolCall, Usage } from "./messages.ts";
import type { Model } from "./model.ts";
import { isTooDeep, TOO_DEEP_TEXT } from "./nesting.ts";
import type { ModelContext } from "./protocols/protocol.ts";
import type { AssistantEventStream, AssistantMessageEvent } from "./stream-events.ts";
import { zeroUsage } from "./usage.ts";

/** Streaming state of a block, which must not become part of the message. */
interface OpenToolCall {
  json: string;
  parsedAt: number;
}

interface BuilderOptions {
  now: () => number;
  context?: ModelContext;
  /** A longer answer fails. */
  maxChars?: number;
}

/**
 * Builds one assistant message and emits its events. Every protocol writes through this class, so the rules of the
 * event stream are kept in one place: one start, balanced blocks, one terminal event, repaired partial messages.
 *
 * Snapshots are copy-on-write: a delta copies the block it touches, the list of blocks and the message head, never the
 * text of other blocks, so the cost of a delta does not grow with the message.
 */
export class MessageBuilder {
  readonly #out: AssistantEventStream;
  readonly #now: () => number;
  readonly #startedAt: number;
  readonly #open = new Set<number>();
  readonly #toolCalls = new Map<number, OpenToolCall>();
  readonly #context: ModelContext;
  readonly #maxChars: number;
  #chars = 0;
  readonly #ownIds = new Set<string>();
  #message: AssistantMessage;
  #started = false;

  constructor(
    out: AssistantEventStream,
    model: Pick<Model, "api" | "provider" | "id">,
    { now, context = { messages: [] }, maxChars = Number.POSITIVE_INFINITY }: BuilderOptions,
  ) {
    this.#out = out;
    this.#maxChars = maxChars;
    this.#context = context;
    this.#now = now;
    this.#startedAt = now();
    this.#message = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: zeroUsage(),
      stopReason: "stop",
      timestamp: this.#startedAt,
    };
  }

  get isFinished(): boolean {
    return this.#out.isClosed;
  }

  get content(): readonly AssistantContent[] {
    return this.#message.content;
  }

  /** Emits `start` once. Called by the first block, or by a protocol that knows earlier. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#out.push({ type: "start", partial: this.#message });
  }

  setResponseId(responseId: string): void {
    this.#message = { ...this.#message, responseId };
  }

  /** Records the model that a router or an alias selected. The requested model adds no information. */
  setResponseModel(responseModel: unknown): void {
    if (typeof responseModel !== "string" || responseModel === "" || responseModel === this.#message.model) return;
    this.#message = { ...this.#message, responseModel };
  }

  setUsage(usage: Usage): void {
    this.#message = { ...this.#message, usage };
  }

  startText(): number {
    const contentIndex = this.#add({ type: "text", text: "" });
    this.#open.add(contentIndex);
    this.#emit({ type: "text_start", contentIndex, partial: this.#message });
    return contentIndex;
  }

  startThinking(): number {
    const contentIndex = this.#add({ type: "thinking", thinking: "" });
    this.#open.add(contentIndex);
    this.#emit({ type: "thinking_start", contentIndex, partial: this.#message });
    return contentIndex;
  }

  /** Some servers number their calls from zero in every answer; ids must be unique in the conversation. */
  startToolCall({ id: sentId, ...rest }: Pick<ToolCall, "id" | "name" | "thoughtSignature">): number {
    const call = { id: this.#uniqueId(sentId), ...rest };
    const block: ToolCall = { type: "toolCall", ...call, arguments: {} };
    const contentIndex = this.#add(block);
    this.#open.add(contentIndex);
    this.#toolCalls.set(contentIndex, { json: "", parsedAt: 0 });
    this.#emit({
      type: "toolcall_start",
      contentIndex,
      toolCall: { id: call.id, name: call.name },
      partial: this.#message,
    });
    return contentIndex;
  }

  /** Reasoning that the provider hides: stored to be sent back, without an event of its own. */
  addRedactedThinking(data: string): void {
    if (!this.#hasRoomFor(data)) return;
    this.start();
    this.#add({ type: "redactedThinking", data });
  }

  /** Appends to a block of text, thinking or a tool call. Empty deltas are dropped. */
  append(contentIndex: number, delta: string): void {
    if (delta === "" || !this.#open.has(contentIndex) || !this.#hasRoomFor(delta)) return;
    const block = this.#message.content[contentIndex];
    if (block?.type === "text") {
      this.#replace(contentIndex, { ...block, text: block.text + delta });
      this.#emit({ type: "text_delta", contentIndex, delta, partial: this.#message });
    } else if (block?.type === "thinking") {
      this.#replace(contentIndex, { ...block, thinking: block.thinking + delta });
      this.#emit({ type: "thinking_delta", contentIndex, delta, partial: this.#message });
    } else if (block?.type === "toolCall") {
      this.#appendArguments(contentIndex, block, delta);
    }
  }

  /** Provider data that belongs to a block and must be sent back with it. */
  sign(contentIndex: number, signature: string): void {
    if (!this.#hasRoomFor(signature)) return;
    const block = this.#message.content[contentIndex];
    if (block?.type === "text") this.#replace(contentIndex, { ...block, textSignature: signature });
    else if (block?.type === "thinking") this.#replace(contentIndex, { ...block, thinkingSignature: signature });
    else if (block?.type === "toolCall") this.#replace(contentIndex, { ...block, thoughtSignature: signature });
  }

  end(contentIndex: number): void {
    if (!this.#open.delete(contentIndex)) return;
    const block = this.#message.content[contentIndex];
    if (block?.type === "text") {
      this.#emit({ type: "text_end", contentIndex, content: block.text, partial: this.#message });
    } else if (block?.type === "thinking") {
      this.#emit({ type: "thinking_end", contentIndex, content: block.thinking, partial: this.#message });
    } else if (block?.type === "toolCall") {
      const toolCall = { ...block, ...parseArguments(this.#toolCalls.get(contentIndex)?.json ?? "") };
      this.#toolCalls.delete(contentIndex);
      this.#replace(contentIndex, toolCall);
      this.#emit({ type: "toolcall_end", contentIndex, toolCall, partial: this.#message });
    }
  }

  /** Ends all open blocks in order, then the message. */
  finish(reason: "stop" | "length" | "toolUse"): void {
    if (this.isFinished) return;
    this.start();
    for (const contentIndex of [...this.#open].sort((a, b) => a - b)) this.end(contentIndex);
    this.#message = { ...this.#message, stopReason: reason, duration: this.#now() - this.#startedAt };
    this.#out.push({ type: "done", reason, message: this.#message });
  }

  /** Ends the message as failed and keeps complete blocks. An abort is a failure of kind `aborted`. */
  fail(error: ProviderError): void {
    if (this.isFinished) return;
    this.start();
    const reason = error.kind === "aborted" ? "aborted" : "error";
    this.#message = {
      ...this.#message,
      content: completeContent(this.#message.content, (index) => !this.#open.has(index)),
      stopReason: reason,
      errorMessage: error.message,
      duration: this.#now() - this.#startedAt,
    };
    this.#out.push({ type: "error", reason, error: this.#message, failure: error.failure });
  }

  abort(): void {
    this.fail(new ProviderError("aborted", ABORTED_TEXT));
  }

  #appendArguments(contentIndex: number, block: ToolCall, delta: string): void {
    const state = this.#toolCalls.get(contentIndex) as OpenToolCall;
    state.json += delta;
    // Parse again only after growth by a quarter, later by half, so that all parses together stay linear in the size.
    const growth = state.parsedAt < 2048 ? 1.25 : 1.5;
    if (state.json.length >= Math.max(state.parsedAt + 16, state.parsedAt * growth)) {
      state.parsedAt = state.json.length;
      const partial = parsePartialObject(state.json);
      if (isTooDeep(partial))
        state.parsedAt = Number.POSITIVE_INFINITY; // It is refused at the end, so there is no point in parsing it again.
      else if (partial) this.#replace(contentIndex, { ...block, arguments: partial });
    }
    const toolCall = { id: block.id, name: block.name };
    this.#emit({ type: "toolcall_delta", contentIndex, delta, toolCall, partial: this.#message });
  }

  /** Throws if the block does not exist. */
  #hasRoomFor(text: string): boolean {
    this.#chars += text.length;
    if (this.#chars > this.#maxChars) this.fail(tooLongError(this.#maxChars));
    return !this.isFinished;
  }

  #uniqueId(sentId: string): string {
    let id = sentId;
    for (let n = 2; this.#ownIds.has(id) || this.#isInContext(id); n += 1) id = `${sentId}_${n}`;
    this.#ownIds.add(id);
    return id;
  }

  /** Searches instead of collecting all ids, because most answers have few calls and conversations grow long. */
  #isInContext(id: string): boolean {
    return this.#context.messages.some(
      (message) =>
        message.role === "assistant" && message.content.some((block) => block.type === "toolCall" && block.id === id),
    );
  }

  #add(block: AssistantContent): number {
    this.start();
    if (this.#message.ttft === undefined) {
      this.#message = { ...this.#message, ttft: this.#now() - this.#startedAt };
    }
    this.#message = { ...this.#message, content: [...this.#message.content, block] };
    return this.#message.content.length - 1;
  }

  #replace(contentIndex: number, block: TextContent | ThinkingContent | ToolCall): void {
    const content = this.#message.content.slice();
    content[contentIndex] = block;
    this.#message = { ...this.#message, content };
  }

  #emit(event: AssistantMessageEvent): void {
    this.#out.push(event);
  }
}

/**
 * Returns what remains of a message that was cut short. An incomplete tool call is dropped: half of its arguments may
 * be a valid, shorter command. A signature covers a whole thinking block, so an unfinished block loses it.
 */
export function completeContent(
  content: readonly AssistantContent[],
  isComplete: (index: number) => boolean,
): AssistantContent[] {
  return content.flatMap((block, index): AssistantContent[] => {
    if (isComplete(index)) return [block];
    if (block.type === "text") return block.text === "" ? [] : [{ type: "text", text: block.text }];
    if (block.type === "thinking") return block.thinking === "" ? [] : [{ type: "thinking", thinking: block.thinking }];
    return block.type === "redactedThinking" ? [block] : [];
  });
}

const SHOWN_ARGUMENTS = 4000;

/** Arguments are used exactly as sent or not at all: repairing a cut string could run a different command. */
export function parseArguments(json: string): Pick<ToolCall, "arguments" | "argumentsError"> {
  if (json.trim() === "") return { arguments: {} };
  const shown = cutText(json, SHOWN_ARGUMENTS);
  try {
    const value: unknown = JSON.parse(json);
    if (isTooDeep(value))
      return { arguments: {}, argumentsError: `Arguments are ${TOO_DEEP_TEXT}. Received: ${shown}` };
    if (isRecord(value)) return { arguments: value };
    return { arguments: {}, argumentsError: `Arguments must be a JSON object. Received: ${shown}` };
  } catch (error) {
    const reason = errorText(error);
    return { arguments: {}, argumentsError: `Arguments are not valid JSON (${reason}). Received: ${shown}` };
  }
}
