import type { App } from "../app.ts";
import type { PromptEditor } from "../editor/prompt-editor.ts";
import { isKey } from "../keys/key-press.ts";
import type { Focusable } from "../screen/component.ts";
import type { ShowOptions, TextComponent } from "../screen/question-slot.ts";
import { wrapped } from "../text/wrap.ts";

interface TextOptions extends ShowOptions {
  title: string;
  prefill: string;
}

/** Asks for several lines of text. Resolves with undefined if the user cancelled. */
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
    render: (width) => [...wrapped(title, width), ...editor.render(width)],
    handleInput(data) {
      if (isKey(data, "escape")) onCancel();
      else editor.handleInput(data);
    },
  };
}
