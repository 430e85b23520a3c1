import type { EditorKeys } from "../keys/editor-keys.ts";
import { typedText } from "../keys/key-name.ts";
import { fuzzyFilter } from "../lists/fuzzy.ts";
import { type SelectItem, SelectList } from "../lists/select-list.ts";
import type { Focusable } from "../screen/component.ts";
import type { TextComponent } from "../screen/question-slot.ts";
import type { Theme } from "../screen/theme.ts";
import { truncated, widthOf } from "../text/width.ts";
import { wrapped } from "../text/wrap.ts";

export interface ChoiceItem extends SelectItem {
  /** A character that chooses the item while the list has the keyboard focus. */
  key?: string;
  /** The item has no row: only its key chooses it, and a line below the list mentions both. */
  isKeyOnly?: boolean;
}

export interface ChoiceOptions {
  /** Styled lines above the list, which are wrapped at the width. A function is called for every frame. */
  title: readonly string[] | ((width: number) => readonly string[]);
  items: readonly ChoiceItem[];
  /** Typing filters the list. */
  isFiltered?: boolean;
  /** Handles an item that does not answer the list. Returns true if the list stays open. */
  staysOpen?(value: string): boolean;
  /** Receives undefined if the user left without a choice. */
  onDone(value: string | undefined): void;
}

const MAX_ROWS = 10;

/**
 * A list to choose from with the arrow keys or, without a filter, with a digit or an item's key. Without the keyboard
 * focus, no item looks selected.
 */
export class Choice implements TextComponent, Focusable {
  focused = false;
  readonly #options: ChoiceOptions;
  readonly #theme: Theme;
  readonly #keys: EditorKeys;
  /** The items with a row. */
  readonly #rows: readonly ChoiceItem[];
  #filter = "";
  #list: SelectList;

  constructor(options: ChoiceOptions, theme: Theme, keys: EditorKeys) {
    this.#options = options;
    this.#theme = theme;
    this.#keys = keys;
    const rows = options.items.filter(({ isKeyOnly }) => !isKeyOnly);
    this.#rows = options.isFiltered ? rows : rows.map(numbered);
    this.#list = this.#makeList();
  }

  get takesText(): boolean {
    return this.#options.isFiltered ?? false;
  }

  /** Returns whether a single character answers the list. */
  hasKey(character: string): boolean {
    return this.#itemOf(character) !== undefined;
  }

  handleInput(data: string): void {
    const text = typedText(data);
    const item = text === undefined ? undefined : this.#itemOf(text);
    if (item) this.#select(item);
    else if (this.takesText && this.#type(data)) this.#list = this.#makeList();
    else if (!this.#wraps(data)) this.#list.handleInput(data);
  }

  render(width: number): string[] {
    const { title: given, isFiltered } = this.#options;
    const border = (this.focused ? this.#theme.accent : this.#theme.border)("─".repeat(width));
    const lines = typeof given === "function" ? given(width) : given;
    const title = lines.flatMap((line) => wrapped(line, width));
    const filter = isFiltered ? [this.#theme.dim(`filter: ${this.#filter}`)] : [];
    const rows = this.focused ? this.#list.render(width) : this.#plainList(width);
    return [border, ...title, ...filter, ...rows, ...this.#keyHint(width)];
  }

  #itemOf(character: string): ChoiceItem | undefined {
    if (this.takesText) return undefined;
    const byDigit = /^[1-9]$/.test(character) ? this.#rows[Number(character) - 1] : undefined;
    return byDigit ?? this.#options.items.find(({ key }) => key === character);
  }

  #keyHint(width: number): string[] {
    if (!this.focused) return [];
    const named = this.#options.items.flatMap(({ key, label, isKeyOnly }) =>
      key !== undefined && isKeyOnly ? [`${key} ${label}`] : [],
    );
    const line = `  ${named.join(" · ")}`;
    const rows = widthOf(line) <= width ? [line] : named.map((hint) => `  ${hint}`);
    return named.length === 0 ? [] : rows.map((row) => truncated(this.#theme.dim(row), width));
  }

  #plainList(width: number): string[] {
    const more = this.#rows.length > MAX_ROWS ? [`  … ${this.#rows.length - MAX_ROWS} more`] : [];
    const rows = this.#rows.slice(0, MAX_ROWS).map(({ label }) => `  ${label}`);
    return [...rows, ...more].map((row) => truncated(this.#theme.dim(row), width, ""));
  }

  /** In a question, `up` must not lead from the safe answer to the last one, since it also browses sent messages. */
  #wraps(data: string): boolean {
    if (this.takesText) return false;
    const { selected } = this.#list;
    if (this.#keys.matches(data, "tui.select.up")) return selected === this.#rows[0];
    return this.#keys.matches(data, "tui.select.down") && selected === this.#rows.at(-1);
  }

  /** Returns true if the filter has changed. */
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

  #select({ value }: SelectItem): void {
    if (!this.#options.staysOpen?.(value)) this.#options.onDone(value);
  }

  #makeList(): SelectList {
    const fitting = fuzzyFilter(this.#rows, this.#filter, ({ label, description }) => `${label} ${description ?? ""}`);
    const options = {
      maxRows: MAX_ROWS,
      onSelect: (item: SelectItem) => this.#select(item),
      onCancel: () => this.#options.onDone(undefined),
    };
    return new SelectList(fitting, options, this.#theme, this.#keys);
  }
}

/** The digits that choose a row are part of its label, with the key that does the same. */
function numbered(item: ChoiceItem, index: number): ChoiceItem {
  const key = item.key === undefined ? "" : ` (${item.key})`;
  return index < 9 ? { ...item, label: `${index + 1} ${item.label}${key}` } : item;
}
