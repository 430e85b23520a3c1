import {
  type Focusable,
  fuzzyFilter,
  getKeybindings,
  type SelectItem,
  SelectList,
  truncateToWidth,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import { listTheme } from "../editor/prompt-editor.ts";
import type { TextComponent } from "../screen/question-slot.ts";
import type { Theme } from "../screen/theme.ts";

export interface ChoiceOptions {
  /** Lines above the list, styled; they are broken at the width. */
  title: readonly string[];
  items: readonly SelectItem[];
  /** What is typed narrows the list. */
  isFiltered?: boolean;
  /** Returns true if the chosen item has been dealt with and the list is still to be answered. */
  staysOpen?(value: string): boolean;
  /** Undefined: left without a choice. */
  onDone(value: string | undefined): void;
}

const MAX_ROWS = 10;
const PRINTABLE = /^\P{Cc}+$/u;

/** A list to choose from. Without the keyboard nothing in it looks chosen. */
export class Choice implements TextComponent, Focusable {
  focused = false;
  readonly #options: ChoiceOptions;
  readonly #theme: Theme;
  #filter = "";
  #list: SelectList;

  constructor(options: ChoiceOptions, theme: Theme) {
    this.#options = options;
    this.#theme = theme;
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
    const title = this.#options.title.flatMap((line) => wrapTextWithAnsi(line, width));
    const filter = this.#options.isFiltered ? [this.#theme.dim(`filter: ${this.#filter}`)] : [];
    return [...title, ...filter, ...(this.focused ? this.#list.render(width) : this.#plainList(width))];
  }

  #plainList(width: number): string[] {
    const { items } = this.#options;
    const more = items.length > MAX_ROWS ? [`  … ${items.length - MAX_ROWS} more`] : [];
    const rows = items.slice(0, MAX_ROWS).map(({ label }) => `  ${label}`);
    return [...rows, ...more].map((row) => truncateToWidth(this.#theme.dim(row), width, ""));
  }

  /** In a question, the key for the message before (up) must not lead from the safe answer to the last one. */
  #wraps(data: string): boolean {
    if (this.takesText) return false;
    const { items } = this.#options;
    const selected = this.#list.getSelectedItem();
    const keys = getKeybindings();
    if (keys.matches(data, "tui.select.up")) return selected === items[0];
    return keys.matches(data, "tui.select.down") && selected === items.at(-1);
  }

  invalidate(): void {
    this.#list.invalidate();
  }

  /** True: the filter has changed. */
  #type(data: string): boolean {
    if (getKeybindings().matches(data, "tui.editor.deleteCharBackward")) {
      this.#filter = [...this.#filter].slice(0, -1).join("");
      return true;
    }
    if (!PRINTABLE.test(data)) return false;
    this.#filter += data;
    return true;
  }

  #makeList(): SelectList {
    const { items, staysOpen, onDone } = this.#options;
    const fitting =
      this.#filter === ""
        ? [...items]
        : fuzzyFilter([...items], this.#filter, ({ label, description }) => `${label} ${description ?? ""}`);
    const list = new SelectList(fitting, MAX_ROWS, listTheme(this.#theme));
    list.onSelect = ({ value }) => {
      if (!staysOpen?.(value)) onDone(value);
    };
    list.onCancel = () => onDone(undefined);
    return list;
  }
}
