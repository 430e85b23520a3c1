import { diffCounts, diffView } from "../../code/diff-view.ts";
import { type DiffLine, parseDiff } from "../../code/parse-diff.ts";
import { type Child, h } from "../../dom.ts";
import { fields, string } from "../../tools/tool-parts.ts";
import { exactly } from "../../visible-text.ts";
import { splitByFile } from "./diff-files.ts";
import type { OpenQuestion } from "./question.ts";
import { answerButton, factList, type QuestionView, wholeText } from "./question-parts.ts";

/** A change that is staged: applied as a whole or for some of its files, or discarded. */
export function previewView({ asked, answer }: OpenQuestion<"preview">): QuestionView {
  const { details, sourceToolName } = exactly(asked);
  const { files = [] } = asked;
  const diff = string(fields(details).diff);
  const lines = diff === "" ? [] : parseDiff(diff);
  const boxes = files.map((file) => ({
    file,
    box: h("input", { type: "checkbox", checked: true, onchange: () => nameApply() }),
  }));
  const chosen = () => boxes.filter(({ box }) => box.checked).map(({ file }) => file);
  const apply = answerButton(
    "Apply",
    () => {
      const names = chosen();
      answer(names.length === boxes.length ? "apply" : { action: "apply", files: names });
    },
    "main",
  ) as HTMLButtonElement;
  function nameApply(): void {
    const count = chosen().length;
    apply.disabled = boxes.length > 0 && count === 0;
    apply.textContent = count === boxes.length ? "Apply" : `Apply ${count} of ${boxes.length} files`;
  }
  const discard = answerButton("Discard", () => answer("discard"), "danger");
  return {
    first: discard,
    content: [
      factList([["tool", sourceToolName]]),
      files.length > 1 ? fileParts(boxes, lines) : lines.length > 0 && diffView(lines),
      lines.length === 0 && details !== undefined && wholeText(JSON.stringify(details, null, 2), "Details"),
    ],
    controls: [discard, apply],
  };
}

/** Each file with its changes and a checkbox. */
function fileParts(boxes: readonly { file: string; box: HTMLElement }[], lines: readonly DiffLine[]): Child {
  const byFile = splitByFile(lines);
  return h(
    "fieldset",
    { class: "preview-files" },
    h("legend", {}, "Files"),
    boxes.map(({ file, box }) => {
      const shown = exactly(file);
      const own = byFile.get(shown);
      const { added, removed } = diffCounts(own ?? []);
      return h(
        "div",
        { class: "preview-file" },
        h(
          "label",
          {},
          box,
          h("code", {}, shown),
          own && h("span", { class: "plus" }, `+${added}`),
          own && h("span", { class: "minus" }, `−${removed}`),
        ),
        own && h("details", { open: boxes.length <= 3 }, h("summary", {}, "Changes"), diffView(own)),
      );
    }),
    // Parts without a file name cannot be separated; they are shown anyway.
    byFile.size === 0 && lines.length > 0 && diffView(lines),
  );
}
