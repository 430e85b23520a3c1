import { type Child, h } from "../../dom.ts";

/** What a view makes of a question: the panel puts title, deadline and queue around it. */
export interface QuestionView {
  /** What it is about, before the controls. */
  content: Child;
  /** What is pressed. */
  controls: Child;
  /** Where the focus goes: the answer that changes nothing, or the field to fill in. Without one it is the title. */
  first?: HTMLElement;
  /** Enter in a field. */
  submit?(): void;
}

export function answerButton(
  label: string,
  onclick: () => void,
  style: "main" | "plain" | "danger" = "plain",
): HTMLElement {
  return h("button", { type: "button", class: `answer-button ${style}`, onclick }, label);
}

/** A fact with its name. Empty ones are left out. */
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
