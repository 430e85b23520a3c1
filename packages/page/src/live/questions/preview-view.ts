import type { PendingActionInfo } from "@pintle/client/core";
import { ChosenParts } from "../../code/chosen-parts.ts";
import { diffCounts, diffView } from "../../code/diff-view.ts";
import { type DiffLine, parseDiff } from "../../code/parse-diff.ts";
import { type Child, h, replaceChildren } from "../../dom.ts";
import { fields, string } from "../../tools/tool-parts.ts";
import { exactly } from "../../visible-text.ts";
import { changeParts } from "./change-parts.ts";
import { splitByFile } from "./diff-files.ts";
import { type PreviewQuestion, previewQuestion } from "./preview-question.ts";
import type { OpenQuestion, QuestionKind } from "./question.ts";
import { answerButton, factList, type QuestionView, wholeText } from "./question-parts.ts";

/** What the user has chosen, in the question of one preview. */
interface Choice {
  content: Child;
  /** Undefined while nothing is chosen. */
  parts(): Parameters<PreviewQuestion["apply"]>[0] | undefined;
  applyLabel(): string;
}

export const previewKind: QuestionKind<PreviewQuestion, "discard" | undefined> = {
  method: "onPreview",
  name: "Preview",
  title: ({ preview }) => preview.label,
  id: ({ preview }) => preview.actionId,
  deadline: ({ preview }) => preview.deadline,
  byDefault: "the change is discarded",
  open: (request, session, signal) => previewQuestion(session, request as PendingActionInfo, signal), // of onPreview
  view: previewView,
};

/** A change that is staged: applied as a whole or in part, or discarded. */
function previewView({ asked, answer }: OpenQuestion<"preview">): QuestionView {
  const { preview, apply } = asked;
  const { details, sourceToolName } = exactly(preview);
  const diff = string(fields(details).diff);
  const lines = diff === "" ? [] : parseDiff(diff);
  const update = () => {
    button.textContent = choice.applyLabel();
    button.disabled = choice.parts() === undefined;
  };
  const choice = preview.changes ? partChoice(asked, update) : fileChoice(preview.files ?? [], lines, update);
  const refusal = h("p", { class: "question-error", role: "alert" });
  const button = answerButton("Apply", () => void decide(), "main"); // does not reject
  async function decide(): Promise<void> {
    const parts = choice.parts();
    if (!parts) return;
    button.disabled = true;
    const reason = await apply(parts);
    button.disabled = false;
    if (reason === undefined) answer(undefined);
    else replaceChildren(refusal, reason);
  }
  const discard = answerButton("Discard", () => answer("discard"), "danger");
  const isUnknown = lines.length === 0 && preview.changes === undefined && details !== undefined;
  return {
    first: discard,
    content: [
      factList([["tool", sourceToolName]]),
      choice.content,
      isUnknown && wholeText(JSON.stringify(details, null, 2), "Details"),
    ],
    controls: [refusal, discard, button],
  };
}

function partChoice({ preview, proposedText }: PreviewQuestion, onChange: () => void): Choice {
  const chosen = new ChosenParts(preview.changes ?? []);
  return {
    content: changeParts({ chosen, proposedText, onChange }),
    parts() {
      const { answer } = chosen;
      if (typeof answer !== "object") return answer && {};
      const { action: _action, ...parts } = answer;
      return parts;
    },
    applyLabel() {
      const { chosen: count, all } = chosen.counts;
      if (count < all) return `Apply ${count} of ${all} parts`;
      return chosen.answer === "apply" ? "Apply" : "Apply with edits";
    },
  };
}

/** For tools that name only files. */
function fileChoice(files: readonly string[], lines: readonly DiffLine[], onChange: () => void): Choice {
  const boxes = files.map((file) => ({
    file,
    box: h("input", { type: "checkbox", checked: true, onchange: onChange }),
  }));
  const chosen = () => boxes.filter(({ box }) => box.checked).map(({ file }) => file);
  const isAll = () => chosen().length === boxes.length;
  return {
    content: files.length > 1 ? fileParts(boxes, lines) : lines.length > 0 && diffView(lines),
    parts: () => (isAll() ? {} : chosen().length > 0 ? { files: chosen() } : undefined),
    applyLabel: () => (isAll() ? "Apply" : `Apply ${chosen().length} of ${boxes.length} files`),
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
