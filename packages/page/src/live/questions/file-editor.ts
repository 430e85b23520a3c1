import { type Child, h } from "../../dom.ts";
import { exactly } from "../../visible-text.ts";
import { answerButton } from "./question-parts.ts";

const MOST_ROWS = 18;

/** Converts text for a field, which knows one kind of line ending only, and what the user has made of it back. */
export function fieldText(content: string): { text: string; restore(text: string): string } | undefined {
  const text = content.replaceAll("\r\n", "\n");
  if (text.includes("\r")) return undefined;
  if (text === content) return { text, restore: (edited) => edited };
  const restore = (edited: string) => edited.replaceAll("\n", "\r\n");
  // With both kinds of endings, lines that the user has not touched would change.
  return restore(text) === content ? { text, restore } : undefined;
}

interface FileEditorParts {
  path: string;
  content: string;
  /** Receives the new text, or undefined if it is the proposed one. */
  onEdit(content: string | undefined): void;
  onClose(): void;
}

/** A field with the proposed text of a file. */
export function fileEditor({ path, content, onEdit, onClose }: FileEditorParts): {
  element: Child;
  field?: HTMLElement;
} {
  const field = fieldText(content);
  if (!field)
    return {
      element: h(
        "p",
        { class: "question-error", role: "alert" },
        "The file mixes line endings, so it cannot be edited here.",
      ),
    };
  const area = h("textarea", {
    class: "file-editor",
    "aria-label": `Text of ${exactly(path)}`,
    rows: Math.min(MOST_ROWS, field.text.split("\n").length + 1),
    spellcheck: false,
    wrap: "off",
    oninput: () => onEdit(area.value === field.text ? undefined : field.restore(area.value)),
  });
  area.value = field.text;
  return { element: [area, answerButton("Use the proposed text", onClose)], field: area };
}
