import type { FileChange } from "@pintle/client/core";
import { type ChosenParts, changeFacts, hunkCounts, hunkDiff, hunkPlace, isEditable } from "../../code/chosen-parts.ts";
import { diffView } from "../../code/diff-view.ts";
import { parseDiff } from "../../code/parse-diff.ts";
import { type Child, h, replaceChildren } from "../../dom.ts";
import { exactly } from "../../visible-text.ts";
import { fileEditor } from "./file-editor.ts";

/** With more files, the changes of each are folded. */
const MOST_OPEN = 3;

interface Parts {
  chosen: ChosenParts;
  proposedText(path: string): Promise<string>;
  onChange(): void;
}

/** The files of a staged change: a box for each of them and for each hunk, and a field for the text. */
export function changeParts(parts: Parts): HTMLElement {
  const { changes } = parts.chosen;
  return h(
    "fieldset",
    { class: "preview-files" },
    h("legend", {}, "What is applied; the rest is discarded"),
    changes.map((change) => filePart(change, parts, changes.length <= MOST_OPEN)),
  );
}

function filePart(change: FileChange, { chosen, proposedText, onChange }: Parts, isOpen: boolean): HTMLElement {
  const { path, hunks = [] } = change;
  const shown = exactly(path);
  const fileBox = h("input", {
    type: "checkbox",
    checked: true,
    onchange: () => {
      chosen.setAll(fileBox.checked, change);
      update();
    },
  });
  const boxes = hunks.map(({ hunkId }) => ({
    hunkId,
    box: h("input", {
      type: "checkbox",
      checked: true,
      onchange: (event: { target: HTMLInputElement }) => {
        chosen.set(hunkId, event.target.checked);
        update();
      },
    }),
  }));
  function update(): void {
    const state = chosen.of(change);
    fileBox.checked = state !== "none";
    fileBox.indeterminate = state === "some";
    for (const { hunkId, box } of boxes) box.checked = chosen.has(hunkId);
    onChange();
  }

  const body = h("div", { class: "preview-body" });
  const showHunks = () => {
    // One hunk is the same as the file.
    const parts = hunks.map((hunk, index) => hunkPart(hunk, hunks.length > 1 && boxes[index]?.box));
    const details = h("details", { open: isOpen }, h("summary", {}, "Changes"));
    const fill = () => {
      if (details.open && details.childElementCount === 1) details.append(...parts.map((part) => part()));
    };
    details.addEventListener("toggle", fill);
    fill();
    replaceChildren(body, hunks.length > 0 && details);
  };
  showHunks();

  const edit = h("button", { type: "button", class: "answer-button", onclick: () => open() }, "Edit");
  async function open(): Promise<void> {
    edit.disabled = true;
    const content = await proposedText(path).catch((error: Error) => error);
    if (content instanceof Error) {
      edit.disabled = false;
      replaceChildren(body, h("p", { class: "question-error", role: "alert" }, content.message));
      return;
    }
    const onEdit = (text: string | undefined) => {
      chosen.edit(change, text);
      update();
    };
    const onClose = () => {
      onEdit(undefined);
      showHunks();
      edit.hidden = false;
      edit.disabled = false;
      edit.focus();
    };
    const { element, field } = fileEditor({ path, content, onEdit, onClose });
    edit.hidden = true;
    replaceChildren(body, element);
    field?.focus();
  }
  return h(
    "div",
    { class: "preview-file", role: "group", "aria-label": shown },
    h(
      "div",
      { class: "preview-head" },
      h("label", {}, fileBox, h("code", {}, shown), facts(change)),
      isEditable(change) && edit,
    ),
    body,
  );
}

function facts(change: FileChange): Child {
  return [
    !change.binary && [
      h("span", { class: "plus" }, `+${change.added}`),
      " ",
      h("span", { class: "minus" }, `−${change.removed}`),
    ],
    changeFacts(change).map((fact) => h("small", {}, exactly(fact))),
  ];
}

type Hunk = NonNullable<FileChange["hunks"]>[number];

/** Creates the hunk when it is shown. */
function hunkPart(hunk: Hunk, box: Child): () => HTMLElement {
  const { added, removed } = hunkCounts(hunk);
  return () =>
    h(
      "div",
      { class: "preview-hunk" },
      box &&
        h(
          "label",
          {},
          box,
          hunkPlace(hunk),
          h("span", { class: "plus" }, `+${added}`),
          h("span", { class: "minus" }, `−${removed}`),
        ),
      diffView(parseDiff(hunkDiff(exactly(hunk)))),
    );
}
