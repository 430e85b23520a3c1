import { ProviderError } from "../errors.ts";
import { isRecord } from "../foundation/is-record.ts";
import type { MessageBuilder } from "../message-builder.ts";
import type { Model } from "../model.ts";
import { ownEntry, textOf, tokenCount } from "../protocols/wire-values.ts";
import { toUsage } from "../usage.ts";
import { toForeignError } from "./foreign-errors.ts";

type Fields = Record<string, unknown>;
type Kind = "text" | "thinking" | "toolCall";

interface OpenBlock {
  /** Index in our message. */
  index: number;
  kind: Kind;
  /** The part that was streamed. */
  text: string;
}

/**
 * Turns the events of pi's stream functions into blocks. Reads their `partial` only for what the event itself does not
 * contain, because it is usually one object that keeps changing, and ours are snapshots.
 */
export class ForeignDecoder {
  readonly #model: Model;
  readonly #out: MessageBuilder;
  /** By index in the foreign message. */
  readonly #blocks = new Map<number, OpenBlock>();
  #calls = 0;

  constructor(model: Model, out: MessageBuilder) {
    this.#model = model;
    this.#out = out;
  }

  /** Throws the error that the function reports. */
  event(value: unknown): void {
    const event = fieldsOf(value);
    ownEntry(this.#handlers, textOf(event.type))?.(event);
  }

  /** Called if the events end without a terminal one. The whole message may be known anyway. */
  end(message: unknown): void {
    const { stopReason, content } = fieldsOf(message);
    if (stopReason === "error" || stopReason === "aborted") this.#fail({ error: message });
    if (!Array.isArray(content)) throw new ProviderError("truncated", "Provider stream ended before completion");
    this.#finish(message, stopReason);
  }

  readonly #handlers: Record<string, (event: Fields) => void> = {
    start: () => this.#out.start(),
    text_start: (event) => void this.#open("text", event),
    text_delta: (event) => this.#append("text", event),
    text_end: (event) => this.#close("text", event),
    thinking_start: (event) => void this.#open("thinking", event),
    thinking_delta: (event) => this.#append("thinking", event),
    thinking_end: (event) => this.#close("thinking", event),
    toolcall_start: (event) => void this.#open("toolCall", event),
    toolcall_delta: (event) => this.#append("toolCall", event),
    toolcall_end: (event) => this.#close("toolCall", event),
    done: ({ message, reason }) => this.#finish(message, reason),
    error: (event) => this.#fail(event),
  };

  /** Undefined for a tool call whose name is not known yet. */
  #open(kind: Kind, event: Fields): OpenBlock | undefined {
    const key = Number(event.contentIndex);
    // pi also has events for reasoning that the vendor hides.
    this.#addHidden(contentOf(event.partial).slice(0, key + 1));
    const known = this.#blocks.get(key);
    if (known) return known.kind === kind ? known : undefined;
    const index = this.#start(kind, { ...blockOf(event), ...fieldsOf(event.toolCall) });
    if (index === undefined) return undefined;
    const block: OpenBlock = { index, kind, text: "" };
    this.#blocks.set(key, block);
    return block;
  }

  #start(kind: Kind, { id, name }: Fields): number | undefined {
    if (kind === "text") return this.#out.startText();
    if (kind === "thinking") return this.#out.startThinking();
    if (textOf(name) === "") return undefined;
    this.#calls += 1;
    return this.#out.startToolCall({ id: textOf(id) || `call_${this.#calls}`, name: textOf(name) });
  }

  /** Hidden reasoning has no events, but its position is before the block that follows it. */
  #addHidden(content: readonly unknown[]): void {
    content.forEach((value, key) => {
      const data = hiddenData(fieldsOf(value));
      if (data === undefined || this.#blocks.has(key)) return;
      this.#blocks.set(key, { index: -1, kind: "thinking", text: "" });
      this.#out.addRedactedThinking(data);
    });
  }

  #append(kind: Kind, event: Fields): void {
    const block = this.#open(kind, event);
    if (!block) return;
    block.text += textOf(event.delta);
    this.#out.append(block.index, textOf(event.delta));
  }

  #close(kind: Kind, event: Fields): void {
    const block = this.#open(kind, event);
    if (block)
      this.#complete(block, {
        ...blockOf(event),
        text: event.content,
        thinking: event.content,
        ...fieldsOf(event.toolCall),
      });
  }

  /** Emits the rest of a block that was streamed in part or not at all. */
  #complete(block: OpenBlock, final: Fields): void {
    const whole = block.kind === "toolCall" ? argumentsText(block.text, final.arguments) : textOf(final[block.kind]);
    const isBegun = whole.startsWith(block.text);
    if (isBegun || block.text.trim() === "")
      this.#out.append(block.index, whole.slice(isBegun ? block.text.length : 0));
    const signature = textOf(final[SIGNATURES[block.kind]]);
    if (signature !== "") this.#out.sign(block.index, signature);
    this.#out.end(block.index);
  }

  #finish(message: unknown, reason: unknown): void {
    const { usage, responseId } = fieldsOf(message);
    contentOf(message).forEach((value, key, content) => {
      this.#addHidden(content.slice(0, key + 1));
      this.#addMissing(fieldsOf(value), key);
    });
    if (textOf(responseId) !== "") this.#out.setResponseId(textOf(responseId));
    this.#readUsage(fieldsOf(usage));
    const stop = reason === "length" ? "length" : this.#calls > 0 ? "toolUse" : "stop";
    this.#out.finish(stop);
  }

  #addMissing(final: Fields, contentIndex: number): void {
    const { type } = final;
    if (type !== "text" && type !== "thinking" && type !== "toolCall") return;
    const block = this.#open(type, { contentIndex, toolCall: final });
    if (block) this.#complete(block, final);
  }

  #readUsage(usage: Fields): void {
    const [input, output] = [tokenCount(usage.input), tokenCount(usage.output)];
    const [cacheRead, cacheWrite] = [tokenCount(usage.cacheRead), tokenCount(usage.cacheWrite)];
    const counted = toUsage(this.#model, { input, output, cacheRead, cacheWrite });
    // A reported cost is more accurate than one from a price list.
    const cost = fieldsOf(usage.cost);
    const total = tokenCount(cost.total);
    const totalFromProvider = cost.totalFromProvider === true;
    this.#out.setUsage(total > 0 ? { ...counted, cost: { ...counted.cost, total, totalFromProvider } } : counted);
  }

  #fail({ error, failure }: Fields): never {
    const { usage, errorMessage } = fieldsOf(error);
    this.#readUsage(fieldsOf(usage));
    throw toForeignError(textOf(errorMessage), failure);
  }
}

const SIGNATURES = { text: "textSignature", thinking: "thinkingSignature", toolCall: "thoughtSignature" } as const;

/** Streamed content wins; the object is used only if nothing was streamed. */
function argumentsText(streamed: string, final: unknown): string {
  return streamed.trim() === "" ? JSON.stringify(fieldsOf(final)) : streamed;
}

/** Returns the block an event refers to, if the foreign message has it. */
function blockOf({ contentIndex, partial }: Fields): Fields {
  return fieldsOf(contentOf(partial)[Number(contentIndex)]);
}

function contentOf(message: unknown): readonly unknown[] {
  const { content } = fieldsOf(message);
  return Array.isArray(content) ? content : [];
}

/** Accepts our spelling and pi's. */
function hiddenData({ type, data, redacted, thinkingSignature }: Fields): string | undefined {
  if (type === "redactedThinking" && typeof data === "string") return data;
  return type === "thinking" && redacted === true ? textOf(thinkingSignature) : undefined;
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
