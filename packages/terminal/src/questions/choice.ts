import type { EditorKeys } from "../keys/editor-keys.ts";
import { typedText } from "../keys/key-name.ts";
import { fuzzyFilter } from "../lists/fuzzy.ts";
import { type SelectItem, SelectList } from "../lists/select-list.ts";
import type { Focusable } from "../screen/component.ts";
import type { TextComponent } from "../screen/question-slot.ts";
import type { Theme } from "../screen/theme.ts";
import { truncated } from "../text/width.ts";
import { wrapped } from "../text/wrap.ts";

export interface ChoiceOptions {
  /** Lines above the list, styled; they are broken at the width. A function is called for every frame. */
  title: readonly string[] | ((width: number) => readonly string[]);
  items: readonly SelectItem[];
  /** What is typed narrows the list. */
  isFiltered?: boolean;
  /** Returns true if the chosen item has been dealt with and the list is still to be answered. */
  staysOpen?(value: string): boolean;
  /** Undefined: left without a choice. */
  onDone(value: string | undefined): void;
}

const MAX_ROWS = 10;

/** A list to choose from. Without the keyboard nothing in it looks chosen. */
export class Choice implements TextComponent, Focusable {
  focused = false;
  readonly #options: ChoiceOptions;
  readonly #theme: Theme;
  readonly #keys: EditorKeys;
  #filter = "";
  #list: SelectList;

  constructor(options: ChoiceOptions, theme: Theme, keys: EditorKeys) {
    this.#options = options;
    this.#theme = theme;
    this.#keys = keys;
    this.#list = this.#makeList();
  }

  get takesText(): boolean {
    return this.#options.isFiltered ?? false;
  }

  handleInput(data: string): void {
    if (this.takesText && this.#type(data)) this.#list = this.#makeList();
    else if (!this.#wraps(data)) this.#list.handleInput(data);
  }

  render(width: number): string[] {
    const { title: given } = this.#options;
    const lines = typeof given === "function" ? given(width) : given;
    const title = lines.flatMap((line) => wrapped(line, width));
    const filter = this.#options.isFiltered ? [this.#theme.dim(`filter: ${this.#filter}`)] : [];
    return [...title, ...filter, ...(this.focused ? this.#list.render(width) : this.#plainList(width))];
  }

  #plainList(width: number): string[] {
    const { items } = this.#options;
    const more = items.length > MAX_ROWS ? [`  … ${items.length - MAX_ROWS} more`] : [];
    const rows = items.slice(0, MAX_ROWS).map(({ label }) => `  ${label}`);
    return [...rows, ...more].map((row) => truncated(this.#theme.dim(row), width, ""));
  }

  /** In a question, the key for the message before (up) must not lead from the safe answer to the last one. */
  #wraps(data: string): boolean {
    if (this.takesText) return false;
    const { items } = this.#options;
    const { selected } = this.#list;
    if (this.#keys.matches(data, "tui.select.up")) return selected === items[0];
    return this.#keys.matches(data, "tui.select.down") && selected === items.at(-1);
  }

  /** True: the filter has changed. */
  #type(data: string): boolean {
    if (this.#keys.matches(data, "tui.editor.deleteCharBackward")) {
      this.#filter = [...this.#filter].slice(0, -1).join("");
      return true;
    }
    const text = typedText(data);
    if (text === undefined) return false;
    this.#filter += text;
    return true;
  }

  #makeList(): SelectList {
    const { items, staysOpen, onDone } = this.#options;
    const fitting = fuzzyFilter(items, this.#filter, ({ label, description }) => `${label} ${description ?? ""}`);
    const onSelect = ({ value }: SelectItem) => {
      if (!staysOpen?.(value)) onDone(value);
    };
    const options = { maxRows: MAX_ROWS, onSelect, onCancel: () => onDone(undefined) };
    return new SelectList(fitting, options, this.#theme, this.#keys);
  }
}
