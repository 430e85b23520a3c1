import type { UiAnswer } from "@pintle/client/core";
import { type Child, h } from "../../dom.ts";
import { exactly } from "../../visible-text.ts";
import type { Dialog, OpenQuestion, QuestionKind } from "./question.ts";
import { answerButton, type QuestionView, wholeText } from "./question-parts.ts";

type Answer = OpenQuestion<"dialog">["answer"];
type Views = { [M in Dialog["method"]]: (asked: Extract<Dialog, { method: M }>, answer: Answer) => QuestionView };

/** Questions from extensions and the `ask` tool, with one view per kind. */
const VIEWS: Views = {
  /** No option is known to be safe, so there is no default. */
  select: ({ options, optionDetails }, answer) => {
    const cancel = cancelButton(answer);
    const buttons = options.map((option, index) =>
      optionButton(exactly(option), exactly(optionDetails?.[index]?.description), () => answer(option)),
    );
    return { content: undefined, controls: [h("div", { class: "options" }, buttons), cancel], first: cancel };
  },
  confirm: ({ message }, answer) => {
    const no = answerButton("No", () => answer(false));
    return {
      content: message !== "" && wholeText(exactly(message), "Question"),
      controls: [no, answerButton("Yes", () => answer(true), "main")],
      first: no,
    };
  },
  input: ({ title, placeholder }, answer) => {
    const field = h("input", { type: "text", "aria-label": title, placeholder, autocomplete: "off" });
    return withField(field, () => answer(field.value), answer);
  },
  editor: ({ title, prefill, promptStyle }, answer) => {
    const field = h("textarea", { "aria-label": title, rows: 6, spellcheck: promptStyle === true });
    field.value = prefill ?? "";
    return withField(field, () => answer(field.value), answer);
  },
};

export const dialogKind: QuestionKind<Dialog, UiAnswer> = {
  method: "onUiRequest",
  name: "Question",
  title: ({ title }) => title,
  deadline: (asked, now) => ("timeout" in asked && asked.timeout !== undefined ? now + asked.timeout : undefined),
  byDefault: "no answer",
  isQuestion: ({ method }) => Object.hasOwn(VIEWS, method),
  view: dialogView,
};

function dialogView({ asked, answer }: OpenQuestion<"dialog">): QuestionView {
  const view = VIEWS[asked.method] as (asked: Dialog, answer: Answer) => QuestionView;
  return view(asked, answer);
}

function withField(field: HTMLElement, submit: () => void, answer: Answer): QuestionView {
  return {
    content: undefined,
    first: field,
    controls: [field, h("button", { type: "submit", class: "answer-button main" }, "Send"), cancelButton(answer)],
    submit,
  };
}

function optionButton(label: string, description: string | undefined, onclick: () => void): Child {
  return h(
    "button",
    { type: "button", class: "option", onclick },
    h("span", {}, label),
    description !== undefined && h("small", {}, description),
  );
}

function cancelButton(answer: Answer): HTMLElement {
  return answerButton("Cancel", () => answer({ cancelled: true }));
}
