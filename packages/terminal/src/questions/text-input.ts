import { type Focusable, matchesKey, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { App } from "../app.ts";
import type { PromptEditor } from "../editor/prompt-editor.ts";
import type { ShowOptions, TextComponent } from "../screen/question-slot.ts";

interface TextOptions extends ShowOptions {
  title: string;
  prefill: string;
}

/** A text of several lines; undefined when it was left. */
export function askText(app: App, { title, prefill, ...show }: TextOptions): Promise<string | undefined> {
  return app.questions.show<string>((done) => {
    const editor = app.createEditor();
    editor.setText(prefill);
    editor.onSubmit = done;
    const heading = app.theme.bold(title);
    return titled(heading, editor, () => done(undefined));
  }, show);
}

function titled(title: string, editor: PromptEditor, onCancel: () => void): TextComponent & Focusable {
  return {
    takesText: true,
    get focused() {
      return editor.focused;
    },
    set focused(isFocused: boolean) {
      editor.focused = isFocused;
    },
    render: (width) => [...wrapTextWithAnsi(title, width), ...editor.render(width)],
    handleInput(data) {
      if (matchesKey(data, "escape")) onCancel();
      else editor.handleInput(data);
    },
    invalidate: () => editor.invalidate(),
  };
}
