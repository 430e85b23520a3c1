import type { AssistantMessage, MessageUpdateEvent } from "@pintle/client";
import type { App } from "../app.ts";
import { TextItem } from "../feed/text-item.ts";
import { ThinkingItem } from "../feed/thinking-item.ts";
import { expandHint } from "../keys/expand-hint.ts";
import type { MarkdownLines } from "../markdown/markdown-lines.ts";
import type { ToolRows } from "./tool-rows.ts";

type Step = MessageUpdateEvent["assistantMessageEvent"];

/** Shows one message of the model as it grows, with an item for each block. */
export class AnswerView {
  readonly #app: App;
  readonly #markdown: MarkdownLines;
  readonly #tools: ToolRows;
  readonly #texts = new Map<number, TextItem>();
  readonly #thoughts = new Map<number, ThinkingItem>();

  constructor(app: App, markdown: MarkdownLines, tools: ToolRows) {
    this.#app = app;
    this.#markdown = markdown;
    this.#tools = tools;
  }

  update(step: Step): void {
    const { contentIndex: index } = step;
    switch (step.type) {
      case "text_start":
      case "text_delta":
        this.#text(index).append("delta" in step ? step.delta : "");
        break;
      case "text_end":
        this.#text(index).end(step.content);
        break;
      case "thinking_start":
      case "thinking_delta":
        this.#thinking(index).append("delta" in step ? step.delta : "");
        break;
      case "thinking_end":
        this.#thinking(index).end(step.content);
        break;
      case "toolcall_start":
        this.#tools.write(step.toolCall.id, step.toolCall.name, {});
        break;
      case "toolcall_delta": {
        const block = step.partial.content[index];
        if (block?.type === "toolCall") this.#tools.write(block.id, block.name, block.arguments);
        break;
      }
      case "toolcall_end":
        this.#tools.write(step.toolCall.id, step.toolCall.name, step.toolCall.arguments);
        break;
    }
    this.#app.feed.changed();
  }

  /** Shows the content that precedes the first received update. */
  join({ content }: AssistantMessage): void {
    for (const [index, block] of content.entries()) {
      if (block.type === "text") this.#text(index).append(block.text);
      else if (block.type === "thinking") this.#thinking(index).append(block.thinking);
      else if (block.type === "toolCall") this.#tools.write(block.id, block.name, block.arguments);
    }
  }

  /** Completes the message and shows what its updates did not contain. */
  end(message: AssistantMessage): void {
    for (const [index, block] of message.content.entries()) {
      if (block.type === "text") this.#text(index).end(block.text);
      else if (block.type === "thinking") this.#thinking(index).end(block.thinking);
      else if (block.type === "toolCall") this.#tools.write(block.id, block.name, block.arguments);
    }
    this.close();
    if (message.stopReason === "error") this.#app.say(message.errorMessage ?? "The model call failed.", "error");
    if (message.stopReason === "aborted") this.#app.say("aborted", "warning");
    if (message.stopReason === "length") this.#app.say("The answer hit the output limit.", "warning");
  }

  /** Ends all items. */
  close(): void {
    for (const item of [...this.#texts.values(), ...this.#thoughts.values()]) item.end();
    this.#app.feed.changed();
  }

  #text(index: number): TextItem {
    const item = this.#texts.get(index) ?? this.#app.feed.add(this.#newText());
    this.#texts.set(index, item);
    return item;
  }

  #newThinking(): ThinkingItem {
    const { theme, folds, keys } = this.#app;
    return new ThinkingItem(theme, folds, expandHint(keys));
  }

  #newText(): TextItem {
    const { feed, highlighting } = this.#app;
    return new TextItem({ markdown: this.#markdown, highlighting, onChange: () => feed.changed() });
  }

  #thinking(index: number): ThinkingItem {
    const item = this.#thoughts.get(index) ?? this.#app.feed.add(this.#newThinking());
    this.#thoughts.set(index, item);
    return item;
  }
}
