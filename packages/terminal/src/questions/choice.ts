import {
  type Component,
  fuzzyFilter,
  getKeybindings,
  type SelectItem,
  SelectList,
  wrapTextWithAnsi,
} from "@earendil-works/pi-tui";
import { listTheme } from "../editor/prompt-editor.ts";
import type { Theme } from "../screen/theme.ts";

export interface ChoiceOptions {
  /** Lines above the list, styled; they are broken at the width. */
  title: readonly string[];
  items: readonly SelectItem[];
  /** What is typed narrows the list. */
  isFiltered?: boolean;
  /** Undefined: left without a choice. */
  onDone(value: string | undefined): void;
}

const MAX_ROWS = 10;
const PRINTABLE = /^\P{Cc}+$/u;

/** A list to choose from, in the place of the editor. */
export class Choice implements Component {
  readonly #options: ChoiceOptions;
  readonly #theme: Theme;
  #filter = "";
  #list: SelectList;

  constructor(options: ChoiceOptions, theme: Theme) {
    this.#options = options;
    this.#theme = theme;
    this.#list = this.#makeList();
  }

  handleInput(data: string): void {
    if (this.#options.isFiltered && this.#type(data)) this.#list = this.#makeList();
    else this.#list.handleInput(data);
  }

  render(width: number): string[] {
    const title = this.#options.title.flatMap((line) => wrapTextWithAnsi(line, width));
    const filter = this.#options.isFiltered ? [this.#theme.dim(`filter: ${this.#filter}`)] : [];
    return [...title, ...filter, ...this.#list.render(width)];
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
    const { items, onDone } = this.#options;
    const fitting =
      this.#filter === ""
        ? [...items]
        : fuzzyFilter([...items], this.#filter, ({ label, description }) => `${label} ${description ?? ""}`);
    const list = new SelectList(fitting, MAX_ROWS, listTheme(this.#theme));
    list.onSelect = ({ value }) => onDone(value);
    list.onCancel = () => onDone(undefined);
    return list;
  }
}
