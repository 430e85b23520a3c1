import type { OtherSession, SessionLibrary } from "../engine/engine.ts";
import { fuzzyFilter } from "../lists/fuzzy.ts";

export interface SessionSearchParts {
  sessions: Pick<SessionLibrary, "list">;
  onChange(): void;
  onError(error: unknown): void;
}

export interface FoundSession {
  session: OtherSession;
  /** The text occurs only in its messages. */
  isByMessages: boolean;
}

/** Searching messages reads whole session files, so it waits until the user pauses. */
const PAUSE_MS = 150;
const MIN_LETTERS = 2;

/**
 * Finds stored sessions as the user types: at once by title, first message, directory and id, and after a pause by all
 * messages, including sessions that are not listed because there are too many.
 */
export class SessionSearch {
  readonly #parts: SessionSearchParts;
  #listed: readonly OtherSession[] = [];
  /** The sessions with messages that contain every word of `text`. */
  #byMessages: { text: string; sessions: readonly OtherSession[] } = { text: "", sessions: [] };
  #text = "";
  #isEverywhere = false;
  #isLoaded = false;
  #isSearching = false;
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: SessionSearchParts) {
    this.#parts = parts;
    this.reload();
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.#searchLater();
  }

  /** Whether sessions of all directories are listed. */
  get isEverywhere(): boolean {
    return this.#isEverywhere;
  }

  set isEverywhere(isEverywhere: boolean) {
    this.#isEverywhere = isEverywhere;
    this.reload();
  }

  /** Why the result is empty. */
  get emptyText(): string {
    if (!this.#isLoaded) return "loading…";
    if (this.#isSearching) return "searching messages…";
    return this.#listed.length === 0 ? "no session is stored" : "no session matches";
  }

  get found(): FoundSession[] {
    const named = fuzzyFilter(this.#listed, this.#text, ({ id, cwd, name = "", firstMessage = "" }) =>
      [name, firstMessage, cwd, id].join(" "),
    );
    const shown = new Set(named.map(({ id }) => id));
    const { text, sessions } = this.#byMessages;
    const others = text === this.#text.trim() ? sessions.filter(({ id }) => !shown.has(id)) : [];
    return [
      ...named.map((session) => ({ session, isByMessages: false })),
      ...others.map((session) => ({ session, isByMessages: true })),
    ];
  }

  /** Reads the list again, after a change or for another scope. */
  reload(): void {
    const isEverywhere = this.#isEverywhere;
    this.#ask({ isEverywhere }, (sessions) => {
      if (isEverywhere !== this.#isEverywhere) return;
      this.#listed = sessions;
      this.#isLoaded = true;
    });
    this.#searchLater();
  }

  /** Ends a search that has not begun. */
  close(): void {
    clearTimeout(this.#pause);
  }

  #searchLater(): void {
    clearTimeout(this.#pause);
    const text = this.#text.trim();
    const isEverywhere = this.#isEverywhere;
    this.#byMessages = { text: "", sessions: [] };
    this.#isSearching = text.length >= MIN_LETTERS;
    if (!this.#isSearching) return;
    this.#pause = setTimeout(() => {
      this.#ask({ isEverywhere, query: text }, (sessions) => {
        if (text !== this.#text.trim() || isEverywhere !== this.#isEverywhere) return;
        this.#isSearching = false;
        this.#byMessages = { text, sessions };
      });
    }, PAUSE_MS);
  }

  #ask(scope: Parameters<SessionLibrary["list"]>[0], adopt: (sessions: OtherSession[]) => void): void {
    const { sessions, onChange, onError } = this.#parts;
    sessions.list(scope).then((listed) => {
      adopt(listed);
      onChange();
    }, onError);
  }
}
