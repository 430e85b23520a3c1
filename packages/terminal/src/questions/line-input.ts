import { LineEditing } from "../editor/line-editing.ts";
import { unitsOf } from "../editor/text-units.ts";
import type { EditorKeys } from "../keys/editor-keys.ts";
import { pastedText } from "../keys/key-press.ts";
import { CURSOR, type Focusable } from "../screen/component.ts";
import type { TextComponent } from "../screen/question-slot.ts";
import type { Theme } from "../screen/theme.ts";
import { firstColumns, truncated, widthOf } from "../text/width.ts";
import { wrapped } from "../text/wrap.ts";

export interface LineInputOptions {
  title: string;
  placeholder?: string;
  /** Shows a dot for each character. */
  isSecret?: boolean;
  /** Receives undefined if the user left without an answer. */
  onDone(value: string | undefined): void;
}

const PROMPT = "> ";

/** An input of one line. */
export class LineInput implements TextComponent, Focusable {
  readonly takesText = true;
  focused = false;
  readonly #options: LineInputOptions;
  readonly #theme: Theme;
  readonly #keys: EditorKeys;
  readonly #editing: LineEditing;

  constructor(options: LineInputOptions, theme: Theme, keys: EditorKeys) {
    this.#options = options;
    this.#theme = theme;
    this.#keys = keys;
    this.#editing = new LineEditing(keys);
  }

  handleInput(data: string): void {
    const { onDone } = this.#options;
    const pasted = pastedText(data);
    if (pasted !== undefined) this.#editing.insert(pasted.replace(/\p{Cc}/gu, ""));
    else if (this.#keys.matches(data, "tui.select.cancel")) onDone(undefined);
    else if (this.#keys.matches(data, "tui.input.submit")) onDone(this.#editing.buffer.text);
    else this.#editing.handle(data);
  }

  render(width: number): string[] {
    return [...wrapped(this.#theme.bold(this.#options.title), width), `${PROMPT}${this.#line(width - PROMPT.length)}`];
  }

  #line(width: number): string {
    const { placeholder = "", isSecret } = this.#options;
    const { text, cursor } = this.#editing.buffer;
    const mark = this.focused ? CURSOR : "";
    if (text === "") return `${mark}${this.#theme.dim(truncated(placeholder, width))}`;
    const shown = isSecret ? "•".repeat(unitsOf(text).length) : text;
    const at = isSecret ? unitsOf(text.slice(0, cursor)).length : cursor;
    return scrolled(shown, at, mark, width);
  }
}

/** Shows the part of a line around its cursor, which needs a column of its own at the end. */
function scrolled(text: string, cursor: number, mark: string, width: number): string {
  const room = Math.max(1, width - 1);
  const before = text.slice(0, cursor);
  const hidden = Math.max(0, widthOf(before) - room);
  const left = hidden === 0 ? before : Bun.sliceAnsi(before, hidden, widthOf(before));
  return `${left}${mark}${firstColumns(text.slice(cursor), Math.max(0, width - widthOf(left)))}`;
}
