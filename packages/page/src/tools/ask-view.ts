import { codeBlock } from "../code/code-view.ts";
import { h } from "../dom.ts";
import { fields, list, resultDetails, resultText, string, type ToolCallView, type ToolPicture } from "./tool-parts.ts";

/** Questions to the user and their answers. Returns undefined if the call has none. */
export function ask(view: ToolCallView): ToolPicture | undefined {
  const results = list(resultDetails(view).results).map(fields);
  if (results.length === 0) return unanswered(view);
  return {
    icon: "?",
    content: h(
      "dl",
      { class: "answers" },
      results.map(({ question, selected, text, timedOut, cancelled }) => [
        h("dt", {}, string(question)),
        h(
          "dd",
          {},
          [...list(selected).map(String), string(text)].filter((part) => part !== "").join(", "),
          timedOut === true && " (not answered in time)",
          cancelled === true && "(no answer)",
        ),
      ]),
    ),
    isOpen: true,
  };
}

/** Questions for which only the call is known. */
function unanswered(view: ToolCallView): ToolPicture | undefined {
  const questions = list(view.args.questions).map(fields);
  if (questions.length === 0) return undefined;
  const text = resultText(view);
  return {
    icon: "?",
    content: [
      h(
        "dl",
        { class: "answers" },
        questions.map(({ question, options }) => [
          h("dt", {}, string(question)),
          list(options)
            .map((option) => string(option) || string(fields(option).label))
            .map((label) => h("dd", { class: "option" }, label)),
        ]),
      ),
      text !== "" && codeBlock(text, { lines: 20, className: "output", label: "Result" }),
    ],
    isOpen: true,
  };
}
