import type OpenAI from "openai";
import { ProviderError } from "../../errors.ts";
import type { MessageBuilder } from "../../message-builder.ts";
import type { Model } from "../../model.ts";
import type { ServerEvent } from "../../transport/sse.ts";
import type { Decoder } from "../protocol.ts";
import { ownEntry, textOf } from "../wire-values.ts";
import { toEventError, toResponsesError } from "./errors.ts";
import { type Phase, writeLink, writeReasoning } from "./items.ts";
import {
  parseEvent,
  partsText,
  readUsage,
  refuseErrors,
  type WireEvent,
  type WireItem,
  type WireResponse,
} from "./wire.ts";

const KINDS = { message: "text", reasoning: "thinking", function_call: "toolCall" } as const;
type Kind = (typeof KINDS)[keyof typeof KINDS];

type EventHandlers = { [T in WireEvent["type"]]?: (event: Extract<WireEvent, { type: T }>) => void };
type ItemHandlers = {
  [T in WireItem["type"]]?: (item: Partial<Extract<WireItem, { type: T }>>, open: OpenItem | undefined) => void;
};

interface OpenItem {
  kind: Kind;
  contentIndex: number;
  /** The part of the item to which the last piece belonged. */
  part: unknown;
  hasPieces: boolean;
}

export class ResponsesDecoder implements Decoder {
  readonly #model: Model;
  readonly #out: MessageBuilder;
  /** By the index on the wire, which also counts items that we leave out. Some servers send the same index for all. */
  readonly #items = new Map<number, OpenItem>();
  /** The last complete reasoning item, on which the following items depend. */
  #reasoningId: string | undefined;
  #hasItems = false;

  constructor(model: Model, out: MessageBuilder) {
    this.#model = model;
    this.#out = out;
  }

  event(event: ServerEvent): void {
    const wire = parseEvent(event);
    if (!wire) return;
    const handle = ownEntry(this.#eventHandlers, wire.type);
    if (handle) handle(wire as never);
    else refuseErrors(wire, event);
  }

  end(): void {
    if (!this.isComplete) throw new ProviderError("truncated", "Provider stream ended before completion");
  }

  /** True after the terminal event, because nothing follows it. */
  get isComplete(): boolean {
    return this.#out.isFinished;
  }

  readonly #eventHandlers: EventHandlers = {
    "response.created": ({ response }) => {
      if (textOf(response?.id) !== "") this.#out.setResponseId(response.id);
      this.#out.setResponseModel(response?.model);
      this.#out.start();
    },
    "response.output_item.added": ({ output_index, item }) => {
      this.#hasItems = true;
      // Text and thoughts start with their first piece. A call is announced immediately if its tool is known.
      if (item?.type === "function_call" && textOf(item.name) !== "")
        this.#items.set(output_index, this.#openCall(item));
    },
    "response.output_text.delta": (event) => this.#append("text", event.output_index, event.delta, event.content_index),
    "response.refusal.delta": (event) => this.#append("text", event.output_index, event.delta, event.content_index),
    "response.reasoning_summary_text.delta": (event) =>
      this.#append("thinking", event.output_index, event.delta, event.summary_index),
    "response.reasoning_text.delta": (event) =>
      this.#append("thinking", event.output_index, event.delta, event.content_index),
    "response.function_call_arguments.delta": (event) => this.#append("toolCall", event.output_index, event.delta),
    "response.output_item.done": ({ output_index, item }) => this.#itemDone(output_index, item),
    "response.completed": ({ response }) => this.#finish("completed", response),
    "response.incomplete": ({ response }) => this.#finish("incomplete", response),
    "response.failed": ({ response }) => this.#finish("failed", response),
    error: (event) => {
      throw toEventError(event);
    },
  };

  readonly #itemHandlers: ItemHandlers = {
    message: ({ id, content, phase }, open) => {
      const text = partsText(content);
      const contentIndex = open?.contentIndex ?? (text === "" ? undefined : this.#startWhole("text", text));
      if (contentIndex !== undefined) this.#endLinked(contentIndex, id, phase);
    },
    reasoning: (item, open) => {
      const signature = writeReasoning(item);
      const text = partsText(item.summary) || partsText(item.content);
      const isWorthKeeping = signature !== undefined || text !== "";
      const contentIndex = open?.contentIndex ?? (isWorthKeeping ? this.#startWhole("thinking", text) : undefined);
      this.#reasoningId = textOf(item.id) || undefined;
      if (contentIndex === undefined) return;
      if (signature) this.#out.sign(contentIndex, signature);
      this.#out.end(contentIndex);
    },
    function_call: (item, open) => {
      if (textOf(item.name) === "") throw new ProviderError("protocol", "The server sent a tool call without a name");
      const call = open ?? this.#openCall(item);
      // Whole arguments are used only if no pieces arrived.
      if (!call.hasPieces) this.#out.append(call.contentIndex, textOf(item.arguments));
      this.#endLinked(call.contentIndex, item.id);
    },
  };

  #itemDone(index: number, item: WireItem | null | undefined): void {
    this.#hasItems = true;
    const open = this.#items.get(index);
    this.#items.delete(index);
    const kind = ownEntry(KINDS, item?.type as keyof typeof KINDS | undefined);
    ownEntry(this.#itemHandlers, item?.type)?.(item as never, open?.kind === kind ? open : undefined);
  }

  #append(kind: Kind, index: number, delta: unknown, part?: unknown): void {
    if (typeof delta !== "string" || delta === "") return;
    const known = this.#items.get(index);
    const item = known?.kind === kind ? known : this.#openProse(kind, index, part);
    if (!item) return;
    // The parts of a message or summary are its paragraphs.
    if (part !== item.part) this.#out.append(item.contentIndex, "\n\n");
    item.part = part;
    item.hasPieces = true;
    this.#out.append(item.contentIndex, delta);
  }

  #openProse(kind: Kind, index: number, part: unknown): OpenItem | undefined {
    if (kind === "toolCall") return undefined; // The end of the item names the tool.
    this.#hasItems = true;
    const contentIndex = kind === "text" ? this.#out.startText() : this.#out.startThinking();
    const item: OpenItem = { kind, contentIndex, part, hasPieces: false };
    this.#items.set(index, item);
    return item;
  }

  #openCall(item: Partial<OpenAI.Responses.ResponseFunctionToolCall>): OpenItem {
    const id = textOf(item.call_id) || textOf(item.id) || `call_${this.#out.content.length}`;
    const contentIndex = this.#out.startToolCall({ id, name: textOf(item.name) });
    return { kind: "toolCall", contentIndex, part: undefined, hasPieces: false };
  }

  #startWhole(kind: "text" | "thinking", text: string): number {
    const contentIndex = kind === "text" ? this.#out.startText() : this.#out.startThinking();
    this.#out.append(contentIndex, text);
    return contentIndex;
  }

  #endLinked(contentIndex: number, id: unknown, phase?: Phase): void {
    const after = this.#reasoningId;
    if (typeof id === "string" && id !== "") {
      this.#out.sign(contentIndex, writeLink({ id, ...(after && { after }), ...(phase && { phase }) }));
    }
    this.#out.end(contentIndex);
  }

  #finish(said: "completed" | "incomplete" | "failed", response: WireResponse): void {
    if (response?.usage) this.#out.setUsage(readUsage(this.#model, response.usage));
    const status = response?.status ?? said;
    if (said === "failed" || status === "failed") throw toResponsesError(response?.error);
    if (said === "incomplete" || status === "incomplete") {
      const reason = response?.incomplete_details?.reason;
      if (reason === "content_filter")
        throw new ProviderError("refused", "The provider's content filter stopped the answer");
      this.#out.finish("length");
      return;
    }
    // Some servers send everything at the end.
    if (!this.#hasItems && Array.isArray(response?.output)) {
      for (const [index, item] of response.output.entries()) this.#itemDone(index, item);
    }
    this.#out.finish(this.#out.content.some((block) => block.type === "toolCall") ? "toolUse" : "stop");
  }
}
