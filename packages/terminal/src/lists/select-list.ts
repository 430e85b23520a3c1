import type { EditorKeys } from "../keys/editor-keys.ts";
import type { Component } from "../screen/component.ts";
import type { Theme } from "../screen/theme.ts";
import { padded, truncated, widthOf } from "../text/width.ts";

export interface SelectItem {
  value: string;
  label: string;
  description?: string;
}

export interface SelectListOptions<T extends SelectItem = SelectItem> {
  maxRows: number;
  onSelect(item: T): void;
  onCancel(): void;
}

const MARK = "→ ";
const NO_MARK = "  ";
/** Descriptions start in the same column, at most here. */
const MAX_LABEL = 32;
/** In a narrower window, labels are shown alone. */
const MIN_DESCRIBED = 40;

const KEYS = [
  "tui.select.up",
  "tui.select.down",
  "tui.select.pageUp",
  "tui.select.pageDown",
  "tui.select.confirm",
  "tui.select.cancel",
] as const;

/** Items in rows, one of which is selected. The rows scroll with the selection. */
export class SelectList<T extends SelectItem = SelectItem> implements Component {
  readonly #items: readonly T[];
  readonly #options: SelectListOptions<T>;
  readonly #theme: Theme;
  readonly #keys: EditorKeys;
  #index = 0;

  constructor(items: readonly T[], options: SelectListOptions<T>, theme: Theme, keys: EditorKeys) {
    this.#items = items;
    this.#options = options;
    this.#theme = theme;
    this.#keys = keys;
  }

  get selected(): T | undefined {
    return this.#items[this.#index];
  }

  handleInput(data: string): void {
    const action = this.#keys.find(data, KEYS);
    const count = this.#items.length;
    const { maxRows, onSelect, onCancel } = this.#options;
    if (action === "tui.select.cancel") onCancel();
    if (count === 0 || action === undefined) return;
    if (action === "tui.select.up") this.#index = (this.#index + count - 1) % count;
    else if (action === "tui.select.down") this.#index = (this.#index + 1) % count;
    else if (action === "tui.select.pageUp") this.#index = Math.max(0, this.#index - maxRows);
    else if (action === "tui.select.pageDown") this.#index = Math.min(count - 1, this.#index + maxRows);
    else if (action === "tui.select.confirm" && this.selected) onSelect(this.selected);
  }

  render(width: number): string[] {
    const count = this.#items.length;
    if (count === 0) return [this.#theme.dim(truncated("  nothing matches", width))];
    const { maxRows } = this.#options;
    const first = Math.max(0, Math.min(this.#index - Math.floor(maxRows / 2), count - maxRows));
    const rows = this.#items.slice(first, first + maxRows);
    const column = Math.min(MAX_LABEL, Math.max(...rows.map(({ label }) => widthOf(label)))) + 2;
    const lines = rows.map((item, index) => this.#row(item, first + index === this.#index, column, width));
    return count > maxRows ? [...lines, this.#theme.dim(`  (${this.#index + 1}/${count})`)] : lines;
  }

  #row({ label, description }: SelectItem, isSelected: boolean, column: number, width: number): string {
    const mark = isSelected ? MARK : NO_MARK;
    const room = width - mark.length;
    const hasDescription = description !== undefined && description !== "" && width > MIN_DESCRIBED;
    const shown = hasDescription ? padded(truncated(label, column - 2), column) : truncated(label, room);
    const text = hasDescription ? truncated(description, room - column) : "";
    if (isSelected) return this.#theme.accent(`${mark}${shown}${text}`);
    return `${mark}${shown}${this.#theme.dim(text)}`;
  }
}
