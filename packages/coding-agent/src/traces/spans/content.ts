import type { ModelContext, ProviderMessage } from "@pintle/ai";
import { createRedactor } from "@pintle/ai/secrets";
import type { Attributes } from "../span.ts";
import { type CallEnd, messageOf } from "./model-call.ts";

type Content = ProviderMessage["content"];
type Part = Record<string, unknown>;

/** Creates attributes with the content of messages, if requested: masked like exports and bounded in size. */
export class ContentAttributes {
  readonly #secrets: () => readonly string[];
  readonly #maxChars: number;

  constructor(secrets: () => readonly string[], maxChars: number) {
    this.#secrets = secrets;
    this.#maxChars = maxChars;
  }

  request({ systemPrompt, messages }: ModelContext): Attributes {
    return {
      "gen_ai.system_instructions": systemPrompt && this.#write([{ type: "text", content: systemPrompt }]),
      "gen_ai.input.messages": this.#newest(messages.map(toMessage)),
    };
  }

  answer(end: CallEnd): Attributes {
    const message = messageOf(end);
    if (!message) return {};
    const parts = toMessage(message);
    return { "gen_ai.output.messages": this.#write([{ ...parts, finish_reason: message.stopReason }]) };
  }

  toolArguments(args: object): Attributes {
    return { "gen_ai.tool.call.arguments": this.#write(args) };
  }

  toolResult({ content }: { content: readonly Part[] }): Attributes {
    return { "gen_ai.tool.call.result": this.#write(content.map(toPart)) };
  }

  /** Masks before truncating, because half a secret would not be recognized. */
  #write(value: unknown): string {
    const text = JSON.stringify(createRedactor(this.#secrets()).value(value));
    return text.length <= this.#maxChars ? text : `${text.slice(0, this.#maxChars)}…`;
  }

  /** Keeps as many of the newest messages as fit, so that the result is still JSON. */
  #newest(messages: readonly object[]): string {
    const texts: string[] = [];
    let left = this.#maxChars;
    for (const message of messages.toReversed()) {
      const text = this.#write(message);
      left -= text.length + 1;
      if (left < 0) break;
      texts.unshift(text);
    }
    return `[${texts.join(",")}]`;
  }
}

function toMessage(message: ProviderMessage): { role: string; parts: Part[] } {
  if (message.role === "toolResult") {
    const response = message.content.map(toPart);
    return { role: "tool", parts: [{ type: "tool_call_response", id: message.toolCallId, response }] };
  }
  return { role: message.role, parts: blocks(message.content).map(toPart) };
}

function blocks(content: Content): readonly Part[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Describes images instead of sending them. */
function toPart(block: Part): Part {
  const { type } = block;
  if (type === "text") return { type, content: block.text };
  if (type === "thinking") return { type: "reasoning", content: block.thinking };
  if (type === "toolCall") return { type: "tool_call", id: block.id, name: block.name, arguments: block.arguments };
  return { type, ...(typeof block.mimeType === "string" && { mime_type: block.mimeType }) };
}
