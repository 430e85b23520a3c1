import { h } from "../../dom.ts";
import { answerButton } from "../questions/question-parts.ts";

export interface FullDialog {
  readonly element: HTMLDialogElement;
  /** Resolves with true for an explicit yes. */
  confirm(): Promise<boolean>;
}

/**
 * Asks before applying the preset `full`: in a list of presets, one key would be enough to turn off the sandbox and all
 * questions.
 */
export function createFullDialog(): FullDialog {
  let answer: (isFull: boolean) => void = () => {};
  const close = (isFull: boolean) => {
    answer(isFull);
    element.close();
  };
  const element = h(
    "dialog",
    {
      class: "choice-dialog",
      "aria-labelledby": "full-title",
      // The event arrives after the dialog has closed; by then it may be open again with the next question.
      onclose: () => element.open || answer(false),
    },
    h("h2", { id: "full-title" }, "End the sandbox and all questions?"),
    h("p", {}, "With this preset every command of the model runs with your rights, and nothing is asked."),
    h(
      "div",
      { class: "question-controls" },
      answerButton("Leave the permissions as they are", () => close(false)),
      answerButton("Allow everything, unasked", () => close(true), "danger"),
    ),
  );
  return {
    element,
    confirm() {
      return new Promise((resolve) => {
        answer = resolve;
        element.showModal();
      });
    },
  };
}
