import { type Child, h } from "../../dom.ts";

/** The elements that a view creates for a question; the panel adds title, deadline and queue. */
export interface QuestionView {
  /** The description, before the controls. */
  content: Child;
  /** The buttons. */
  controls: Child;
  /** What gets the focus: the answer that changes nothing, or the field to fill in. Default: the title. */
  first?: HTMLElement;
  /** Called for Enter in a field. */
  submit?(): void;
}

export function answerButton(
  label: string,
  onclick: () => void,
  style: "main" | "plain" | "danger" = "plain",
): HTMLButtonElement {
  return h("button", { type: "button", class: `answer-button ${style}`, onclick }, label);
}

/** A named fact. Returns nothing if it is empty. */
export function factList(facts: readonly (readonly [name: string, value: Child])[]): Child {
  const known = facts.filter(([, value]) => value !== undefined && value !== "" && value !== false);
  if (known.length === 0) return undefined;
  return h(
    "dl",
    { class: "question-facts" },
    known.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

/** Shows the whole text, whatever its length: an answer applies to what was shown. */
export function wholeText(text: string, label: string): HTMLElement {
  return h("pre", { class: "whole-text", tabindex: 0, role: "group", "aria-label": label }, text);
}
