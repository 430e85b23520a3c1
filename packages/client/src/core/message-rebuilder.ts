import type { AssistantContent, MessageUpdateEvent, RpcEvent, ToolCall } from "../protocol.ts";
import { parsePartialObject } from "./partial-json.ts";

type Step = MessageUpdateEvent["assistantMessageEvent"];
type Content = readonly AssistantContent[];

/**
 * Restores the full message in updates that carry only what is new (`delta` mode). Updates that already contain the message pass
 * through unchanged. Successive messages share unchanged blocks, so a delta costs only what it adds.
 */
export class MessageRebuilder {
  #content: Content = [];
  /** The JSON text of each call's arguments so far, by block index. */
  readonly #arguments = new Map<number, ArgumentsText>();

  rebuild(event: RpcEvent): RpcEvent {
    if (event.type === "message_update") return this.#update(event);
    if (event.type === "message_start" && event.message.role === "assistant") this.#reset();
    if (event.type === "session_snapshot") this.#reset(event.message?.content);
    return event;
  }

  /** Resets to a snapshot. Arguments of a call that the snapshot shows in part are complete again when that block ends. */
  #reset(content: Content = []): void {
    this.#content = content;
    this.#arguments.clear();
  }

  #update(event: MessageUpdateEvent): MessageUpdateEvent {
    const { message, assistantMessageEvent: step } = event;
    const isWhole = message.content.length > 0; // an update contains at least the block it refers to
    this.#collectArguments(step);
    this.#content = isWhole ? message.content : this.#apply(step);
    if (isWhole) return event;
    const rebuilt = { ...message, content: this.#content as AssistantContent[] };
    return { ...event, message: rebuilt, assistantMessageEvent: { ...step, partial: rebuilt } };
  }

  #collectArguments(step: Step): void {
    const { contentIndex } = step;
    if (step.type === "toolcall_start") this.#arguments.set(contentIndex, new ArgumentsText());
    else if (step.type === "toolcall_delta") this.#arguments.get(contentIndex)?.append(step.delta);
    else if (step.type === "toolcall_end") this.#arguments.delete(contentIndex);
  }

  #apply(step: Step): Content {
    const { contentIndex } = step;
    const content = this.#content.slice();
    // Hidden reasoning has no events; its content arrives with the end of the message.
    while (content.length < contentIndex) content.push({ type: "redactedThinking", data: "" });
    const block = this.#block(step, content[contentIndex]);
    if (block) content[contentIndex] = block;
    return content;
  }

  #block(step: Step, old: AssistantContent | undefined): AssistantContent | undefined {
    switch (step.type) {
      case "text_start":
        return { type: "text", text: "" };
      case "thinking_start":
        return { type: "thinking", thinking: "" };
      case "toolcall_start":
        return { type: "toolCall", ...step.toolCall, arguments: {} };
      case "text_delta":
        return old?.type === "text" ? { ...old, text: old.text + step.delta } : old;
      case "thinking_delta":
        return old?.type === "thinking" ? { ...old, thinking: old.thinking + step.delta } : old;
      case "toolcall_delta":
        return old?.type === "toolCall" ? this.#withArguments(old, step.contentIndex) : old;
      case "text_end":
        return old?.type === "text" ? { ...old, text: step.content } : old;
      case "thinking_end":
        return old?.type === "thinking" ? { ...old, thinking: step.content } : old;
      case "toolcall_end":
        return step.toolCall;
      default:
        return old; // sent by a newer server
    }
  }

  #withArguments(call: ToolCall, contentIndex: number): ToolCall {
    const parsed = this.#arguments.get(contentIndex)?.parse();
    return parsed ? { ...call, arguments: parsed } : call;
  }
}

/**
 * Parses again only after the text has grown by a fraction of its size, as the server does, so that total parsing time stays
 * linear.
 */
class ArgumentsText {
  #json = "";
  #parsedAt = 0;

  append(delta: string): void {
    this.#json += delta;
  }

  /** Returns undefined if there is nothing new to show. */
  parse(): Record<string, unknown> | undefined {
    const growth = this.#parsedAt < 2048 ? 1.25 : 1.5;
    if (this.#json.length < Math.max(this.#parsedAt + 16, this.#parsedAt * growth)) return undefined;
    this.#parsedAt = this.#json.length;
    return parsePartialObject(this.#json);
  }
}
