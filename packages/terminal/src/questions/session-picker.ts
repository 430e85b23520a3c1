import type { OtherSession, SessionLibrary } from "../engine/engine.ts";
import type { EditorKeys } from "../keys/editor-keys.ts";
import { typedText } from "../keys/key-name.ts";
import { isKey } from "../keys/key-press.ts";
import type { Focusable } from "../screen/component.ts";
import type { TextComponent } from "../screen/question-slot.ts";
import type { Theme } from "../screen/theme.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated } from "../text/width.ts";
import { type FoundSession, SessionSearch } from "./session-search.ts";

export interface SessionPickerParts {
  sessions: SessionLibrary;
  theme: Theme;
  keys: EditorKeys;
  /** Rows of the window. */
  rows(): number;
  onChange(): void;
  onError(error: unknown): void;
  /** Receives undefined if the user left without a choice. */
  onDone(id: string | undefined): void;
}

const MAX_SESSIONS = 6;
const MIN_SESSIONS = 2;
/** Rows of a session (its title and its details), and rows around the list. */
const ROWS_EACH = 2;
const ROWS_AROUND = 12;
const HINT = "enter opens · tab all directories · ctrl+n renames · ctrl+d deletes · ctrl+u undoes";

/** Lists stored sessions with their titles, searches, renames and deletes them, and undoes deletions. */
export class SessionPicker implements TextComponent, Focusable {
  readonly takesText = true;
  focused = false;
  readonly #parts: SessionPickerParts;
  readonly #search: SessionSearch;
  #index = 0;
  /** The name that is being typed for the selected session. */
  #name: string | undefined;
  readonly #deleted: OtherSession[] = [];

  constructor(parts: SessionPickerParts) {
    this.#parts = parts;
    this.#search = new SessionSearch(parts);
  }

  handleInput(data: string): void {
    if (this.#name === undefined) this.#choose(data);
    else this.#rename(data, this.#name);
  }

  render(width: number): string[] {
    const { theme, rows } = this.#parts;
    const { found, text, isEverywhere, emptyText } = this.#search;
    this.#index = Math.max(0, Math.min(this.#index, found.length - 1));
    const most = Math.max(MIN_SESSIONS, Math.min(MAX_SESSIONS, Math.floor((rows() - ROWS_AROUND) / ROWS_EACH)));
    const first = Math.max(0, Math.min(this.#index - Math.floor(most / 2), found.length - most));
    const shown = found.slice(first, first + most);
    const now = Date.now();
    const scope = isEverywhere ? "all directories" : "this directory";
    const position = found.length > most ? ` (${this.#index + 1}/${found.length})` : "";
    const lines = [
      theme.accent("─".repeat(width)),
      `${theme.bold("Sessions")}${theme.dim(` · ${scope}${position}`)}`,
      theme.dim(`search: ${text}`),
      ...shown.flatMap((one, index) => this.#rows(one, first + index === this.#index, now)),
      ...(found.length === 0 ? [theme.dim(`  ${emptyText}`)] : []),
      ...hintLines(width).map(theme.dim),
    ];
    return lines.map((line) => truncated(line, width));
  }

  #rows({ session, isByMessages }: FoundSession, isSelected: boolean, now: number): string[] {
    const { theme } = this.#parts;
    const name = isSelected ? this.#name : undefined;
    const title = name === undefined ? titleOf(session) : `name: ${name}▏`;
    const { updatedAt, messageCount, status, cwd } = session;
    const facts = [
      relativeTime(updatedAt, now),
      `${messageCount} messages`,
      ...(isByMessages ? ["found in messages"] : []),
      ...(status === undefined || status === "stored" ? [] : [status]),
      ...(this.#search.isEverywhere ? [shownText(cwd)] : []),
    ];
    return [isSelected ? theme.accent(`→ ${title}`) : `  ${title}`, theme.dim(`    ${facts.join(" · ")}`)];
  }

  get #selected(): OtherSession | undefined {
    return this.#search.found[this.#index]?.session;
  }

  #choose(data: string): void {
    const { keys } = this.#parts;
    const search = this.#search;
    const selected = this.#selected;
    const text = typedText(data);
    if (keys.matches(data, "tui.select.cancel")) this.#leave(undefined);
    else if (keys.matches(data, "tui.select.up")) this.#index -= 1;
    else if (keys.matches(data, "tui.select.down")) this.#index += 1;
    else if (keys.matches(data, "tui.select.confirm")) {
      if (selected) this.#leave(selected.id);
    } else if (isKey(data, "tab")) search.isEverywhere = !search.isEverywhere;
    else if (isKey(data, "ctrl+n")) this.#name = selected && (selected.name ?? "");
    else if (isKey(data, "ctrl+d")) this.#delete(selected);
    else if (isKey(data, "ctrl+u")) this.#undo();
    else if (keys.matches(data, "tui.editor.deleteCharBackward")) search.text = withoutLast(search.text);
    else if (text !== undefined) {
      search.text += text;
      this.#index = 0;
    }
  }

  #leave(id: string | undefined): void {
    this.#search.close();
    this.#parts.onDone(id);
  }

  #rename(data: string, name: string): void {
    const { keys, sessions } = this.#parts;
    const selected = this.#selected;
    if (keys.matches(data, "tui.select.cancel")) this.#name = undefined;
    else if (keys.matches(data, "tui.editor.deleteCharBackward")) this.#name = withoutLast(name);
    else if (keys.matches(data, "tui.select.confirm")) {
      this.#name = undefined;
      if (selected && name.trim() !== "") this.#change(() => sessions.rename(selected, name.trim()));
    } else this.#name = name + (typedText(data) ?? "");
  }

  #delete(session: OtherSession | undefined): void {
    if (!session) return;
    const { status } = session;
    if (status !== undefined && status !== "stored") {
      this.#parts.onError(new Error(`The session "${titleOf(session)}" is open: close it before you delete it.`));
      return;
    }
    this.#change(async () => {
      await this.#parts.sessions.delete(session);
      this.#deleted.push(session);
    });
  }

  #undo(): void {
    const session = this.#deleted.at(-1);
    if (!session) return;
    this.#change(async () => {
      await this.#parts.sessions.restore(session);
      this.#deleted.pop();
    });
  }

  #change(work: () => Promise<unknown>): void {
    work().then(
      () => this.#search.reload(),
      (error) => this.#parts.onError(error),
    );
  }
}

function titleOf({ name, firstMessage }: OtherSession): string {
  return shownText(name ?? firstMessage ?? "(empty)").replaceAll("\n", " ");
}

function withoutLast(text: string): string {
  return [...text].slice(0, -1).join("");
}

/** In a narrow window, the hint takes several lines. */
function hintLines(width: number): string[] {
  const lines: string[] = [];
  for (const part of HINT.split(" · ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length + 3 <= width) lines[lines.length - 1] = `${last} · ${part}`;
    else lines.push(part);
  }
  return lines;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [365 * DAY, "year"],
  [30 * DAY, "month"],
  [7 * DAY, "week"],
  [DAY, "day"],
  [HOUR, "hour"],
  [MINUTE, "minute"],
];

/** Returns how long ago a moment was: `3 hours ago`. */
export function relativeTime(iso: string, now: number): string {
  const passed = now - Date.parse(iso);
  const [ms, name] = UNITS.find(([unit]) => passed >= unit) ?? [0, ""];
  if (ms === 0) return "just now";
  const count = Math.floor(passed / ms);
  return `${count} ${name}${count === 1 ? "" : "s"} ago`;
}
