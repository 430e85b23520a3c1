import type { EditorKeys } from "../keys/editor-keys.ts";
import { type SelectItem, SelectList } from "../lists/select-list.ts";
import type { Theme } from "../screen/theme.ts";

/** Completions, and the text before the cursor that they replace. */
export interface Suggestions {
  items: readonly SelectItem[];
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
  /** Replaces the prefix with the chosen value. */
  onChoose(value: string, prefix: string): void;
  onChange(): void;
}

const MAX_ROWS = 5;

/** The list of completions below the editor. Suggestions come from the session; outdated ones are dropped. */
export class CompletionMenu {
  source: CompletionSource | undefined;
  readonly #parts: MenuParts;
  #asking: AbortController | undefined;
  #open: { list: SelectList; prefix: string } | undefined;

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
    } else if (keys.find(data, ["tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown"]))
      open.list.handleInput(data);
    else if (keys.matches(data, "tui.select.cancel")) this.close();
    else return false;
    return true;
  }

  render(width: number): string[] {
    return this.#open?.list.render(width) ?? [];
  }

  #show(suggestions: Suggestions | undefined, isForced: boolean): void {
    const { theme, keys, before, onChange } = this.#parts;
    this.#asking = undefined;
    this.#open = undefined;
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
      }
    }
    onChange();
  }

  #choose(item: SelectItem | undefined, prefix: string): void {
    this.close();
    if (item) this.#parts.onChoose(item.value, prefix);
  }
}
