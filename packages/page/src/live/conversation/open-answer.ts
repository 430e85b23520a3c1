import type { AssistantContent, AssistantMessage, AssistantUpdateEvent } from "@pintle/client/core";
import { h, replaceChildren } from "../../dom.ts";
import { teaser } from "../../entries/entry-view.ts";
import { shortNumber } from "../../format.ts";
import { summarizeCall } from "../../reading/call-summary.ts";
import { GrowingProse } from "./growing-prose.ts";

/** A block of the answer while it is streamed. */
interface OpenBlock {
  readonly type: AssistantContent["type"];
  readonly element: HTMLElement;
  /** The text of an event or, without one, all of it. */
  take(content: AssistantContent, delta: string | undefined): void;
  draw(): void;
  /** The text and its element, for the entry that will replace this one. */
  finish(): { text: string; element: HTMLElement } | undefined;
}

/** How much of the newest thinking is shown in one line. */
const GLIMPSE = 160;

const BLOCKS: Record<AssistantContent["type"], () => OpenBlock> = {
  text: textBlock,
  thinking: thinkingBlock,
  redactedThinking: () => still("redactedThinking", h("p", { class: "remark" }, "Thinking, encrypted by the provider")),
  toolCall: callBlock,
};

/**
 * The answer that is being streamed. The cost of a delta depends only on its size, and drawing happens once per frame.
 */
export class OpenAnswer {
  readonly element: HTMLElement;
  readonly #body = h("div", { class: "entry-body" });
  readonly #blocks: OpenBlock[] = [];

  /** `isContinuing`: this continues the answer above, which has the header. */
  constructor(isContinuing: boolean) {
    this.element = h(
      "article",
      {
        class: `entry assistant is-writing${isContinuing ? " is-continuing" : ""}`,
        "aria-label": "Assistant, writing",
        "aria-busy": "true",
      },
      h(
        "header",
        { class: "entry-head" },
        h("h3", {}, "Assistant"),
        h("span", { class: "facts writing-mark" }, "writing"),
      ),
      this.#body,
    );
  }

  take(message: AssistantMessage, step: AssistantUpdateEvent | undefined): void {
    const { content } = message;
    const first = step ? Math.min(step.contentIndex, this.#blocks.length) : 0;
    for (let at = first; at < content.length; at += 1) {
      const block = content[at] as AssistantContent;
      const isGrowing = step?.contentIndex === at && "delta" in step;
      const view = this.#blocks[at];
      if (view && view.type === block.type) view.take(block, isGrowing ? step.delta : undefined);
      else this.#replace(at, block);
    }
  }

  draw(): void {
    for (const block of this.#blocks) block.draw();
  }

  /** Elements by their text, which are already on the page and need not be created again. */
  finish(): Map<string, HTMLElement> {
    const written = this.#blocks.flatMap((block) => block.finish() ?? []);
    return new Map(written.map(({ text, element }) => [text, element]));
  }

  #replace(at: number, content: AssistantContent): void {
    const block = BLOCKS[content.type]?.() ?? still(content.type, h("p", { class: "remark" }, content.type));
    block.take(content, undefined);
    const old = this.#blocks[at];
    if (old) old.element.replaceWith(block.element);
    else this.#body.append(block.element);
    this.#blocks[at] = block;
  }
}

function still(type: OpenBlock["type"], element: HTMLElement): OpenBlock {
  return { type, element, take: () => {}, draw: () => {}, finish: () => undefined };
}

/** Appends the new part of text that only grows; if it differs, the text is replaced. */
function grow(prose: GrowingProse, whole: string, delta: string | undefined): GrowingProse {
  if (delta !== undefined) prose.append(delta);
  else if (whole.startsWith(prose.text)) prose.append(whole.slice(prose.text.length));
  else {
    const anew = new GrowingProse();
    anew.append(whole);
    prose.element.replaceWith(anew.element);
    return anew;
  }
  return prose;
}

function textBlock(): OpenBlock {
  const element = h("div", { class: "open-text" });
  let prose = new GrowingProse();
  element.append(prose.element);
  return {
    type: "text",
    element,
    take(content, delta) {
      if (content.type === "text") prose = grow(prose, content.text, delta);
    },
    draw: () => prose.draw(),
    finish() {
      prose.finish();
      return { text: prose.text, element: prose.element };
    },
  };
}

/** While closed, it shows the newest line; its content is created only when it is opened. */
function thinkingBlock(): OpenBlock {
  const glimpse = h("span", { class: "teaser", "aria-hidden": "true" });
  let prose = new GrowingProse();
  const element = h("details", { class: "thinking" }, h("summary", {}, "Thinking", glimpse), prose.element);
  element.addEventListener("toggle", () => prose.draw());
  let shown = "";
  return {
    type: "thinking",
    element,
    take(content, delta) {
      if (content.type === "thinking") prose = grow(prose, content.thinking, delta);
      shown = (shown + (delta ?? "")).slice(-GLIMPSE);
    },
    draw() {
      if (element.open) prose.draw();
      else replaceChildren(glimpse, teaser(shown.slice(shown.lastIndexOf("\n") + 1) || shown.trimEnd()));
    },
    finish() {
      prose.finish();
      replaceChildren(glimpse, teaser(prose.text));
      return { text: prose.text, element };
    },
  };
}

function callBlock(): OpenBlock {
  const [name, summary, size] = [
    h("span", { class: "tool-name" }),
    h("span", { class: "tool-summary" }),
    h("span", { class: "tool-remark" }),
  ];
  const element = h(
    "div",
    { class: "tool is-open is-planned" },
    h(
      "div",
      { class: "tool-line" },
      h("span", { class: "icon", "aria-hidden": "true" }, "…"),
      name,
      summary,
      size,
      h("span", { class: "tool-state" }, "preparing"),
    ),
  );
  let call: Extract<AssistantContent, { type: "toolCall" }> | undefined;
  let characters = 0;
  let isDrawn = true;
  return {
    type: "toolCall",
    element,
    take(content, delta) {
      if (content.type !== "toolCall") return;
      call = content;
      characters += delta?.length ?? 0;
      isDrawn = false;
    },
    draw() {
      if (isDrawn || !call) return;
      isDrawn = true;
      replaceChildren(name, call.name);
      replaceChildren(summary, summarizeCall(call.name, call.arguments));
      replaceChildren(size, characters > 400 && `${shortNumber(characters)} characters`);
    },
    finish: () => undefined,
  };
}
