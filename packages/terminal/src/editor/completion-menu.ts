import type { Room } from "../images/block-image.ts";
import type { EditorKeys } from "../keys/editor-keys.ts";
import { type SelectItem, SelectList } from "../lists/select-list.ts";
import type { Theme } from "../screen/theme.ts";
import { firstColumns } from "../text/width.ts";

export interface CompletionItem extends SelectItem {
  /** Returns rows that show the item, or undefined if it cannot be shown. */
  preview?(room: Room): Promise<readonly string[] | undefined>;
}

/** Completions, and the text before the cursor that they replace. */
export interface Suggestions {
  items: readonly CompletionItem[];
  prefix: string;
}

export interface CompletionSource {
  /** Returns undefined without suggestions. `isForced` means that the user asked with a key. */
  suggest(before: string, options: { signal: AbortSignal; isForced: boolean }): Promise<Suggestions | undefined>;
}

interface MenuParts {
  theme: Theme;
  keys: EditorKeys;
  /** Returns the text before the cursor. */
  before(): string;
  /** Returns the height of the screen. */
  screenRows(): number;
  /** Replaces the prefix with the chosen value. */
  onChoose(value: string, prefix: string): void;
  onChange(): void;
}

interface Preview {
  item: CompletionItem;
  rows?: readonly string[] | undefined;
}

const MAX_ROWS = 5;
const PREVIEW_COLUMNS = 48;
const MAX_PREVIEW_ROWS = 10;
/** On a screen with fewer rows, a preview would push away too much of the conversation. */
const MIN_PREVIEW_ROWS = 4;
const PREVIEW_SHARE = 0.25;

/** The list of completions below the editor. Suggestions come from the session; outdated ones are dropped. */
export class CompletionMenu {
  source: CompletionSource | undefined;
  readonly #parts: MenuParts;
  #asking: AbortController | undefined;
  #open: { list: SelectList<CompletionItem>; prefix: string } | undefined;
  /** The preview of the selected item; empty until it is drawn. */
  #preview: Preview | undefined;

  constructor(parts: MenuParts) {
    this.#parts = parts;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  close(): void {
    this.#asking?.abort();
    this.#asking = undefined;
    this.#open = undefined;
    this.#preview = undefined;
  }

  /** Asks for suggestions that fit the text before the cursor. */
  ask(isForced = false): void {
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    const before = this.#parts.before();
    const answer = this.source?.suggest(before, { signal: asking.signal, isForced }) ?? Promise.resolve(undefined);
    answer.then(
      (suggestions) => {
        if (this.#asking === asking) this.#show(suggestions, isForced);
      },
      () => {
        if (this.#asking === asking) this.close(); // without a session there are no suggestions
      },
    );
  }

  /** Returns true if the key was for the list. */
  handle(data: string): boolean {
    const open = this.#open;
    if (!open) return false;
    const { keys } = this.#parts;
    if (keys.matches(data, "tui.input.tab")) this.#choose(open.list.selected, open.prefix);
    else if (keys.matches(data, "tui.select.confirm")) {
      // The command is complete and the key sends it.
      const isCommand = open.prefix.startsWith("/");
      this.#choose(open.list.selected, open.prefix);
      return !isCommand;
    } else if (keys.find(data, ["tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown"])) {
      open.list.handleInput(data);
      this.#drawPreview();
    } else if (keys.matches(data, "tui.select.cancel")) this.close();
    else return false;
    return true;
  }

  render(width: number): string[] {
    if (!this.#open) return [];
    const rows = this.#preview?.rows ?? [];
    return [...this.#open.list.render(width), ...rows.map((row) => `  ${firstColumns(row, width - 2)}`)];
  }

  #drawPreview(): void {
    const item = this.#open?.list.selected;
    if (item === this.#preview?.item) return;
    const rows = Math.min(MAX_PREVIEW_ROWS, Math.floor(this.#parts.screenRows() * PREVIEW_SHARE));
    const preview: Preview | undefined = item && { item };
    this.#preview = preview;
    if (!preview?.item.preview || rows < MIN_PREVIEW_ROWS) return;
    preview.item.preview({ columns: PREVIEW_COLUMNS, rows }).then(
      (drawn) => {
        preview.rows = drawn;
        this.#parts.onChange();
      },
      () => {}, // a damaged image is listed without one
    );
  }

  #show(suggestions: Suggestions | undefined, isForced: boolean): void {
    const { theme, keys, before, onChange } = this.#parts;
    this.#asking = undefined;
    this.#open = undefined;
    this.#preview = undefined;
    if (suggestions && before().endsWith(suggestions.prefix)) {
      const { items, prefix } = suggestions;
      const [only, ...others] = items;
      if (isForced && others.length === 0) this.#choose(only, prefix);
      else {
        const options = {
          maxRows: MAX_ROWS,
          onSelect: (item: SelectItem) => this.#choose(item, prefix),
          onCancel: () => this.close(),
        };
        this.#open = { list: new SelectList(items, options, theme, keys), prefix };
        this.#drawPreview();
      }
    }
    onChange();
  }

  #choose(item: SelectItem | undefined, prefix: string): void {
    this.close();
    if (item) this.#parts.onChoose(item.value, prefix);
  }
}
