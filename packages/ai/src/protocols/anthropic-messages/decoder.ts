import type Anthropic from "@anthropic-ai/sdk";
import { ProviderError } from "../../errors.ts";
import type { MessageBuilder } from "../../message-builder.ts";
import type { Model } from "../../model.ts";
import { toStreamError } from "../../transport/error-response.ts";
import type { ServerEvent } from "../../transport/sse.ts";
import { toUsage } from "../../usage.ts";
import type { Decoder } from "../protocol.ts";
import { notAnObject, ownEntry, parseObject, textOf } from "../wire-values.ts";

// The SDK's types describe what the vendor sends today. Other servers with this API omit fields, hence the guards.
type WireEvent = Anthropic.RawMessageStreamEvent;
type WireBlock = Anthropic.RawContentBlockStartEvent["content_block"];
type WireDelta = Anthropic.RawContentBlockDelta;
type WireUsage = Partial<Pick<Anthropic.MessageDeltaUsage, keyof typeof USAGE_FIELDS>>;

type EventHandlers = { [T in WireEvent["type"]]: (event: Extract<WireEvent, { type: T }>) => void };
type BlockOpeners = { [T in WireBlock["type"]]?: (block: Extract<WireBlock, { type: T }>) => OpenBlock | undefined };
type DeltaHandlers = { [T in WireDelta["type"]]: (open: OpenBlock, delta: Extract<WireDelta, { type: T }>) => void };

interface OpenBlock {
  kind: "text" | "thinking" | "toolCall";
  contentIndex: number;
  /** Arguments that arrived whole with the start of the block; used if no fragments follow. */
  wholeInput?: string | undefined;
}

const USAGE_FIELDS = {
  input_tokens: "input",
  output_tokens: "output",
  cache_read_input_tokens: "cacheRead",
  cache_creation_input_tokens: "cacheWrite",
} as const;

type FinishReason = "stop" | "length" | "toolUse";
type StopDetails = Anthropic.RefusalStopDetails | null | undefined;

const STOP_REASONS: Record<Anthropic.StopReason, FinishReason | ((details: StopDetails) => ProviderError)> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  tool_use: "toolUse",
  refusal: (details) => new ProviderError("refused", refusalText(details)),
  model_context_window_exceeded: () =>
    new ProviderError("overflow", "model_context_window_exceeded: the answer reached the end of the context window"),
};

export class AnthropicDecoder implements Decoder {
  readonly #model: Model;
  readonly #out: MessageBuilder;
  /** By the index on the wire, which also counts blocks that we leave out. */
  readonly #blocks = new Map<number, OpenBlock>();
  readonly #tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #finishReason: FinishReason | undefined;

  constructor(model: Model, out: MessageBuilder) {
    this.#model = model;
    this.#out = out;
  }

  event(event: ServerEvent): void {
    const wire = parseEvent(event);
    if (!wire) return;
    const handle = ownEntry(this.#eventHandlers, wire.type) ?? refuseErrors;
    handle(wire as never);
  }

  end(): void {
    if (!this.isComplete) throw new ProviderError("truncated", "Provider stream ended before completion");
  }

  /** True after the terminal event, because nothing follows it. */
  get isComplete(): boolean {
    return this.#out.isFinished;
  }

  readonly #eventHandlers: EventHandlers = {
    message_start: ({ message }) => {
      if (textOf(message?.id) !== "") this.#out.setResponseId(message.id);
      this.#out.setResponseModel(message?.model);
      this.#noteUsage(message?.usage);
      this.#out.start();
    },
    content_block_start: ({ index, content_block: block }) => {
      const open = ownEntry(this.#blockOpeners, block?.type)?.(block as never);
      if (open) this.#blocks.set(index, open);
    },
    content_block_delta: ({ index, delta }) => {
      const open = this.#blocks.get(index);
      if (open) ownEntry(this.#deltaHandlers, delta?.type)?.(open, delta as never);
    },
    content_block_stop: ({ index }) => {
      const open = this.#blocks.get(index);
      if (!open) return;
      this.#blocks.delete(index);
      this.#close(open);
    },
    message_delta: ({ delta, usage }) => {
      this.#noteUsage(usage);
      if (!delta?.stop_reason) return;
      const reason = ownEntry(STOP_REASONS, delta.stop_reason) ?? "stop";
      if (typeof reason === "function") throw reason(delta.stop_details);
      this.#finishReason = reason;
    },
    message_stop: () => {
      for (const open of this.#blocks.values()) this.#close(open);
      const calledTool = this.#out.content.some((block) => block.type === "toolCall");
      this.#out.finish(this.#finishReason ?? (calledTool ? "toolUse" : "stop"));
    },
  };

  readonly #blockOpeners: BlockOpeners = {
    text: (block) => {
      const contentIndex = this.#out.startText();
      this.#out.append(contentIndex, textOf(block.text));
      return { kind: "text", contentIndex };
    },
    thinking: (block) => {
      const contentIndex = this.#out.startThinking();
      this.#out.append(contentIndex, textOf(block.thinking));
      if (textOf(block.signature) !== "") this.#out.sign(contentIndex, block.signature);
      return { kind: "thinking", contentIndex };
    },
    redacted_thinking: (block) => {
      this.#out.addRedactedThinking(textOf(block.data));
      return undefined; // already complete
    },
    tool_use: ({ id, name, input }) => {
      if (textOf(id) === "" || textOf(name) === "")
        throw new ProviderError("protocol", "The server sent a tool call without id or name");
      const contentIndex = this.#out.startToolCall({ id, name });
      return { kind: "toolCall", contentIndex, wholeInput: wholeInput(input) };
    },
  };

  readonly #deltaHandlers: DeltaHandlers = {
    text_delta: (open, delta) => {
      if (open.kind === "text") this.#out.append(open.contentIndex, textOf(delta.text));
    },
    thinking_delta: (open, delta) => {
      if (open.kind === "thinking") this.#out.append(open.contentIndex, textOf(delta.thinking));
    },
    signature_delta: (open, delta) => {
      if (open.kind === "thinking") this.#out.sign(open.contentIndex, textOf(delta.signature));
    },
    input_json_delta: (open, delta) => {
      if (open.kind !== "toolCall" || textOf(delta.partial_json) === "") return;
      open.wholeInput = undefined;
      this.#out.append(open.contentIndex, delta.partial_json);
    },
    citations_delta: () => {}, // Citations of documents, which we never send.
  };

  #close(open: OpenBlock): void {
    if (open.wholeInput) this.#out.append(open.contentIndex, open.wholeInput);
    this.#out.end(open.contentIndex);
  }

  /** Counts are cumulative; a null or missing field keeps the value of an earlier event. */
  #noteUsage(usage: WireUsage | null | undefined): void {
    for (const [wire, field] of Object.entries(USAGE_FIELDS)) {
      const count = usage?.[wire as keyof WireUsage];
      if (typeof count === "number" && Number.isFinite(count) && count >= 0) this.#tokens[field] = count;
    }
    this.#out.setUsage(toUsage(this.#model, this.#tokens));
  }
}

/** An error may lack a type; `ping` and event types added later are ignored. */
function refuseErrors(wire: unknown): void {
  const error = toStreamError(wire);
  if (error) throw error;
}

function parseEvent({ event, data }: ServerEvent): WireEvent | undefined {
  if (data === "") return undefined;
  const wire = parseObject(data);
  if (wire) return wire as WireEvent;
  throw (event === "error" && toStreamError({ error: data })) || notAnObject(data);
}

function wholeInput(input: unknown): string | undefined {
  const json = JSON.stringify(input ?? {});
  return json === "{}" ? undefined : json;
}

function refusalText(details: StopDetails): string {
  const category = details?.category ? ` (${details.category})` : "";
  return `The model refused to answer${category}${details?.explanation ? `: ${details.explanation}` : ""}`;
}
