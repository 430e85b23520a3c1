import { h, replaceChildren } from "../../dom.ts";
import { exactly } from "../../visible-text.ts";
import { countdown, spokenTime } from "./countdown.ts";
import { KINDS, kindOf, titleOf } from "./kinds.ts";
import type { Question } from "./question.ts";
import { createQuestionFocus } from "./question-focus.ts";

const TICK_MS = 250;

export function nameOf({ kind }: Question): string {
  return KINDS[kind].name;
}

export interface QuestionPanel {
  show(questions: readonly Question[]): void;
}

interface PanelParts {
  /** The message field, which has the focus after an answer. */
  field(): HTMLTextAreaElement | null;
  /** The clock that deadlines refer to. */
  now(): number;
}

/**
 * Shows one question at a time, the oldest first, and announces it to screen readers. question-focus.ts decides on the
 * keyboard focus.
 */
export function createQuestionPanel(place: HTMLElement, { field, now }: PanelParts): QuestionPanel {
  const focus = createQuestionFocus({ place, field });
  const spoken = h("div", { class: "unseen", role: "alert" });
  const card = h("div", { class: "question-place" });
  place.append(spoken, card);
  let shown: Question | undefined;
  let clock: ReturnType<typeof setInterval> | undefined;
  const timer = h("span", { class: "question-timer", role: "timer" });
  const rest = h("p", { class: "question-rest" });

  function draw(question: Question): void {
    const { content, controls: buttons, first, submit } = kindOf(question.kind).view(question);
    const body = h("div", { class: "question-body" }, content, h("div", { class: "question-controls" }, buttons));
    const controls = h("fieldset", { class: "question-lock" }, body);
    const title = h("h2", { id: "question-title", tabindex: -1 }, exactly(titleOf(question)));
    const onsubmit = (event: SubmitEvent) => {
      event.preventDefault();
      submit?.();
    };
    replaceChildren(
      card,
      h(
        "article",
        { class: `question of-${question.kind}`, "aria-labelledby": "question-title" },
        h("header", {}, h("span", { class: "question-kind" }, nameOf(question)), title, timer),
        h("form", { onsubmit }, controls),
        h("p", { class: "question-hint" }, h("kbd", {}, "tab"), " answers"),
        rest,
      ),
    );
    focus.shown({ controls, first: first ?? title });
  }

  function tick(): void {
    if (shown?.deadline === undefined) return void replaceChildren(timer);
    const { text, isUrgent, isOver } = countdown(shown.deadline, now());
    const said = isOver ? `Time is up: ${shown.byDefault}` : `${text} left, then: ${shown.byDefault}`;
    if (timer.textContent !== said) replaceChildren(timer, said);
    timer.classList.toggle("urgent", isUrgent);
  }

  function announce(question: Question): void {
    const time = question.deadline === undefined ? "" : ` ${spokenTime(question.deadline, now())} left.`;
    replaceChildren(spoken, `${nameOf(question)}: ${titleOf(question)}.${time}`);
  }

  return {
    show(questions) {
      const [first, ...others] = questions;
      if (first !== shown) {
        shown = first;
        clearInterval(clock);
        // On a phone, focusing the field would open the keyboard over the next question.
        if (place.contains(document.activeElement) && !matchMedia("(pointer: coarse)").matches) field()?.focus();
        if (first) {
          draw(first);
          announce(first);
          clock = setInterval(tick, TICK_MS);
        } else {
          replaceChildren(card);
          replaceChildren(spoken);
          focus.shown(undefined);
        }
      }
      replaceChildren(
        rest,
        others.length > 0 && `${others.length} more ${others.length === 1 ? "waits" : "wait"} behind this`,
      );
      tick();
    },
  };
}
