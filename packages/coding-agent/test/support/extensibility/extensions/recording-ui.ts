import { noUi } from "../../../../src/extensibility/ui/no-ui.ts";
import type { ExtensionUi } from "../../../../src/extensibility/ui/ui.ts";

/** The user's answers; anything not listed is cancelled. */
export interface Answers {
  select?: (title: string, options: readonly unknown[]) => string | undefined;
  confirm?: (title: string, message: string) => boolean;
  input?: (title: string) => string | undefined;
  editor?: (title: string, prefill?: string) => string | undefined;
}

/** A user interface that gives prepared answers and records what it was shown, one line per call. */
export function recordingUi(answers: Answers = {}): ExtensionUi & { shown: string[] } {
  const shown: string[] = [];
  const show = (...words: unknown[]) => void shown.push(words.map(word).join(" "));
  return {
    ...noUi,
    shown,
    async select(title, options) {
      show("select", title);
      return answers.select?.(title, options);
    },
    async confirm(title, message) {
      show("confirm", title);
      return answers.confirm?.(title, message) ?? false;
    },
    async input(title) {
      show("input", title);
      return answers.input?.(title);
    },
    async editor(title, prefill) {
      show("editor", title);
      return answers.editor?.(title, prefill);
    },
    notify: (message, type = "info") => show("notify", type, message),
    setStatus: (key, text) => show("status", key, text),
    setWidget: (key, content, options) => show("widget", key, content, options?.placement),
    setTitle: (title) => show("title", title),
    setEditorText: (text) => show("editorText", text),
  };
}

const word = (value: unknown) =>
  value === undefined ? "-" : typeof value === "string" ? value : JSON.stringify(value);
