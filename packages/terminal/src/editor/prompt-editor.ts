import type { EditorKeys } from "../keys/editor-keys.ts";
import { pastedText } from "../keys/key-press.ts";
import { type Component, CURSOR, type Focusable } from "../screen/component.ts";
import type { Theme } from "../screen/theme.ts";
import { firstColumns, truncated, widthOf } from "../text/width.ts";
import { CompletionMenu, type CompletionSource } from "./completion-menu.ts";
import { LineEditing } from "./line-editing.ts";
import { PasteBlocks } from "./paste-blocks.ts";
import { SentMessages } from "./sent-messages.ts";
import { positionAt, spotOf, type TextRow, textRows } from "./text-rows.ts";

/** The largest share of the screen for a long message. */
const MAX_SHARE = 0.3;
const MIN_ROWS = 5;
const TAB = "    ";
/** Where completion starts automatically: a command, or a file after an @. */
const COMPLETED = /^\/\S*$|(?:^|[\s(])@"?[^\s"]*$/;

export interface EditorScreen {
  readonly rows: number;
  requestRender(): void;
}

const BROWSING = [
  "tui.editor.cursorUp",
  "tui.editor.cursorDown",
  "tui.editor.pageUp",
  "tui.editor.pageDown",
  "tui.editor.historyPrevious",
  "tui.editor.historyNext",
] as const;

const UPWARDS: ReadonlySet<string> = new Set([
  "tui.editor.cursorUp",
  "tui.editor.pageUp",
  "tui.editor.historyPrevious",
]);

/** The editor for messages, with several lines, undo, history, and long pastes as blocks. */
export class PromptEditor implements Component, Focusable {
  focused = false;
  onSubmit: ((text: string) => void) | undefined;
  readonly #screen: EditorScreen;
  readonly #theme: Theme;
  readonly #keys: EditorKeys;
  readonly #editing: LineEditing;
  readonly #sent = new SentMessages();
  readonly #menu: CompletionMenu;
  #pastes = new PasteBlocks();
  #width = 80;
  /** The first row that is shown. */
  #top = 0;
  /** The column that up and down return to after a short row. */
  #column: number | undefined;

  constructor(screen: EditorScreen, theme: Theme, keys: EditorKeys) {
    this.#screen = screen;
    this.#theme = theme;
    this.#keys = keys;
    this.#editing = new LineEditing(keys);
    this.#menu = new CompletionMenu({
      theme,
      keys,
      before: () => this.#editing.buffer.text.slice(0, this.#editing.buffer.cursor),
      screenRows: () => screen.rows,
      onChoose: (value, prefix) => this.#complete(value, prefix),
      onChange: () => screen.requestRender(),
    });
  }

  get isEmpty(): boolean {
    return this.#editing.buffer.text === "";
  }

  /** Returns the text with pastes in full. */
  get fullText(): string {
    return this.#pastes.expand(this.#editing.buffer.text);
  }

  get isShowingCompletions(): boolean {
    return this.#menu.isOpen;
  }

  set completionSource(source: CompletionSource) {
    this.#menu.source = source;
  }

  setText(text: string): void {
    this.#sent.leave();
    this.#menu.close();
    this.#column = undefined;
    this.#editing.setText(text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").replaceAll("\t", TAB));
    this.#screen.requestRender();
  }

  /** Returns the text with pastes in full and empties the editor. */
  takeText(): string {
    const text = this.fullText;
    this.#clear();
    return text;
  }

  insert(text: string): void {
    this.#sent.leave();
    this.#editing.insert(text);
    this.#screen.requestRender();
  }

  /** Returns what was sent, the oldest first. */
  get sentMessages(): readonly string[] {
    return this.#sent.all;
  }

  addToHistory(text: string): void {
    this.#sent.add(text);
  }

  handleInput(data: string): void {
    const pasted = pastedText(data);
    if (pasted !== undefined) this.#paste(pasted);
    else if (!this.#menu.handle(data)) this.#edit(data);
    this.#screen.requestRender();
  }

  render(width: number): string[] {
    this.#width = width;
    const rows = this.#rows();
    const { row, column } = spotOf(rows, this.#editing.buffer.cursor);
    const most = Math.max(MIN_ROWS, Math.floor(this.#screen.rows * MAX_SHARE));
    if (row < this.#top) this.#top = row;
    this.#top = Math.max(0, Math.min(Math.max(this.#top, row - most + 1), rows.length - most));
    const lines = rows.slice(this.#top, this.#top + most).map(({ text }, index) => {
      if (!this.focused || this.#top + index !== row) return text;
      return withCursor(text, Math.min(column, Math.max(0, width - 1)));
    });
    return [
      this.#border(width, "↑", this.#top),
      ...lines,
      this.#border(width, "↓", rows.length - this.#top - lines.length),
      ...this.#menu.render(width),
    ];
  }

  /** The frame shows by its color that the text is a command of the user. */
  #border(width: number, sign: string, hidden: number): string {
    const head = hidden > 0 ? truncated(`─── ${sign} ${hidden} more `, width, "") : "";
    const isCommand = this.#editing.buffer.text.startsWith("!");
    const style = isCommand ? this.#theme.warning : this.focused ? this.#theme.accent : this.#theme.border;
    return style(`${head}${"─".repeat(width - widthOf(head))}`);
  }

  #rows(): TextRow[] {
    return textRows(this.#editing.buffer.text, this.#width);
  }

  #edit(data: string): void {
    const browsing = this.#keys.find(data, BROWSING);
    if (this.#keys.matches(data, "tui.input.newLine")) this.#changed(() => this.#editing.insert("\n"));
    else if (this.#keys.matches(data, "tui.input.submit")) this.#submit();
    else if (this.#keys.matches(data, "tui.input.tab")) this.#menu.ask(true);
    else if (browsing) this.#browse(browsing);
    else this.#changed(() => this.#editing.handle(data));
  }

  #changed(change: () => void): void {
    const before = this.#editing.buffer.text;
    this.#column = undefined;
    change();
    const { text, cursor } = this.#editing.buffer;
    if (text !== before) this.#sent.leave();
    if (text !== before && COMPLETED.test(text.slice(0, cursor))) this.#menu.ask();
    else this.#menu.close();
  }

  /** A backslash before enter inserts a new line, for terminals that send the same for shift+enter. */
  #submit(): void {
    const { text, cursor } = this.#editing.buffer;
    if (text[cursor - 1] === "\\") {
      this.#changed(() => this.#editing.replace(cursor - 1, cursor, "\n"));
      return;
    }
    const whole = this.fullText;
    // A space before a slash marks the text as a message.
    const message = /^\s+\//.test(whole) ? ` ${whole.trim()}` : whole.trim();
    this.#clear();
    this.onSubmit?.(message);
  }

  #clear(): void {
    this.#menu.close();
    this.#sent.leave();
    this.#editing.reset();
    this.#pastes = new PasteBlocks();
    this.#top = 0;
    this.#column = undefined;
    this.#screen.requestRender();
  }

  /** Up in the first row and down in the last row browse sent messages. */
  #browse(action: (typeof BROWSING)[number]): void {
    this.#menu.close();
    const isUp = UPWARDS.has(action);
    const isPage = action === "tui.editor.pageUp" || action === "tui.editor.pageDown";
    const rows = this.#rows();
    const { cursor, text } = this.#editing.buffer;
    const spot = spotOf(rows, cursor);
    const isAtEnd = isUp ? spot.row === 0 : spot.row === rows.length - 1;
    const isHistory = action === "tui.editor.historyPrevious" || action === "tui.editor.historyNext";
    if (isHistory || (isAtEnd && !isPage && (text === "" || this.#sent.isBrowsing))) this.#showSent(isUp);
    else if (isAtEnd) this.#editing.moveTo(isUp ? 0 : text.length);
    else {
      const by = isPage ? Math.max(1, Math.floor(this.#screen.rows * MAX_SHARE)) : 1;
      const row = Math.max(0, Math.min(rows.length - 1, isUp ? spot.row - by : spot.row + by));
      this.#column ??= spot.column;
      this.#editing.moveTo(positionAt(rows, { row, column: this.#column }));
    }
  }

  #showSent(isUp: boolean): void {
    const text = isUp ? this.#sent.previous(this.#editing.buffer.text) : this.#sent.next();
    if (text === undefined) return;
    this.#column = undefined;
    this.#editing.setText(text);
    if (isUp) this.#editing.moveTo(0);
  }

  #paste(pasted: string): void {
    const text = pasted.replaceAll("\r\n", "\n").replaceAll("\r", "\n").replaceAll("\t", TAB);
    this.#changed(() => this.#editing.insert(this.#pastes.shorten(text.replace(/[^\P{Cc}\n]/gu, ""))));
  }

  #complete(value: string, prefix: string): void {
    const { text, cursor } = this.#editing.buffer;
    // After a directory, completion continues.
    const isOpen = value.endsWith("/") || value.endsWith('/"');
    const rest = text.slice(cursor);
    const gap = isOpen || rest.startsWith(" ") ? "" : " ";
    this.#editing.replace(cursor - prefix.length, cursor, `${value}${gap}`);
    if (isOpen) this.#menu.ask();
  }
}

function withCursor(text: string, column: number): string {
  const before = firstColumns(text, column);
  return `${before}${CURSOR}${text.slice(before.length)}`;
}
