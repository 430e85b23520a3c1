import { typedText } from "../keys/key-name.ts";
import { isText } from "../keys/key-press.ts";
import type { Component } from "./component.ts";

export interface ShowOptions {
  /** Withdraws the question. */
  signal?: AbortSignal;
  /**
   * The user has just opened it, for example a list of models: it gets the keyboard focus at once, ahead of all
   * questions.
   */
  isOpenedByUser?: boolean;
}

/** A component that handles text. Any other leaves text to the message. */
export interface TextComponent extends Component {
  /** It reads all text that is typed or pasted. */
  readonly takesText: boolean;
  /** Returns whether a character by itself answers it. */
  hasKey?(character: string): boolean;
}

/** What arrived together with a key in one read from the terminal. */
export interface KeyRead {
  /** Text arrived with it, as when a terminal pastes without reporting a paste; also set if the key itself is text. */
  isPasted: boolean;
  /** Nothing arrived with it. */
  isAlone: boolean;
}

/**
 * If a question has taken the keyboard focus by itself, a character does not answer it before this time has passed: it may
 * be the first character of a message.
 */
export const UNREAD_MS = 1_000;

interface Shown {
  component: Component | TextComponent;
  isOpenedByUser: boolean;
  close(): void;
}

/**
 * - `settling`: just arrived. Keys pressed earlier may not have been read yet, so it is not shown.
 * - `ready`: shown with the next frame, which decides whether it has the keyboard focus.
 * - `open`: shown without the focus.
 * - `taking`: the user has moved to it. It gets the focus with the next frame; keys until then are dropped.
 * - `focused`: shown with the focus.
 */
type State = "settling" | "ready" | "open" | "taking" | "focused";

export interface SlotParts {
  /** Receives the component that handles keys from now on; undefined means the editor. */
  onFocus(component: Component | undefined): void;
  onChange(): void;
  /** Called when a question is asked that the user has not opened. */
  onQuestion(): void;
  /** Returns whether the editor is empty and no key was pressed for a while. */
  isKeyboardFree(): boolean;
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Calls `done` when the keys pressed before this call have been read. */
  afterPendingKeys(done: () => void): void;
}

/**
 * Shows questions, pickers and dialogs one at a time, and alone decides whether the question or the editor handles keys. A
 * question takes the keyboard focus by itself only while the user is not typing, and never before the frame that shows it.
 */
export class QuestionSlot {
  #queue: readonly Shown[] = [];
  #state: State = "open";
  /** When the question took the keyboard focus by itself. */
  #takenAt = Number.NEGATIVE_INFINITY;
  readonly #parts: SlotParts;

  constructor(parts: SlotParts) {
    this.#parts = parts;
  }

  /** Returns true if keys are not for the editor. */
  get hasKeyboard(): boolean {
    return this.#queue.length > 0 && (this.#state === "taking" || this.#state === "focused");
  }

  /** Returns the question on the screen. Pickers that the user opened are not questions. */
  get question(): Component | undefined {
    const current = this.#queue[0];
    const isShown = this.#state !== "settling" && this.#state !== "ready";
    return isShown && current && !current.isOpenedByUser ? current.component : undefined;
  }

  /** Resolves with the value that `make` passes to `done`, or with undefined if the signal fires first. */
  show<T>(
    make: (done: (value: T | undefined) => void) => Component,
    { signal, isOpenedByUser = false }: ShowOptions = {},
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return resolve(undefined);
      const done = (value: T | undefined) => {
        signal?.removeEventListener("abort", onAbort);
        this.#remove(shown);
        resolve(value);
      };
      const onAbort = () => done(undefined);
      let shown: Shown;
      try {
        shown = { component: make(done), isOpenedByUser, close: onAbort };
      } catch (error) {
        return reject(error);
      }
      signal?.addEventListener("abort", onAbort);
      const before = this.#queue[0];
      this.#queue = isOpenedByUser ? [shown, ...this.#queue] : [...this.#queue, shown];
      if (this.#queue[0] !== before) this.#present();
      if (!isOpenedByUser) this.#parts.onQuestion();
    });
  }

  /** Gives the keyboard focus to the question, or back to the editor. Returns false if there is no question. */
  toggle(): boolean {
    if (!this.question) return false;
    this.#enter(this.hasKeyboard ? "open" : "taking");
    return true;
  }

  /** Decides on a key before anything handles it. Returns false if the key must be dropped. */
  admit(data: string, { isPasted, isAlone }: KeyRead): boolean {
    const { question } = this;
    if (!this.hasKeyboard) return true;
    if (!question) return isAlone || !isText(data) || this.#readsText;
    const takesText = "takesText" in question && question.takesText === true;
    if (!takesText && (isPasted || isText(data))) {
      if (isAlone && this.#isAnswer(data, question)) return true;
      this.#enter("open");
      return true;
    }
    if (this.#state === "taking") return false;
    return !isPasted || isText(data);
  }

  /** Text that arrived with other text does not answer a list that the user has opened, either. */
  get #readsText(): boolean {
    const component = this.#queue[0]?.component;
    return component !== undefined && (!("hasKey" in component) || component.takesText);
  }

  #isAnswer(data: string, question: Component | TextComponent): boolean {
    const character = typedText(data);
    if (character === undefined || this.#state !== "focused" || !("hasKey" in question)) return false;
    return this.#parts.now() - this.#takenAt >= UNREAD_MS && question.hasKey?.(character) === true;
  }

  /** Closes everything that is shown or queued, without an answer. */
  closeAll(): void {
    for (const shown of this.#queue) shown.close();
  }

  /** Called for every frame that reaches the terminal. */
  render(width: number): string[] {
    const current = this.#queue[0];
    if (!current || this.#state === "settling") return [];
    if (this.#state === "ready") {
      this.#takenAt = this.#parts.now();
      this.#enter(this.#parts.isKeyboardFree() ? "focused" : "open");
    } else if (this.#state === "taking") {
      this.#takenAt = Number.NEGATIVE_INFINITY;
      this.#enter("focused");
    }
    return current.component.render(width);
  }

  #present(): void {
    const current = this.#queue[0];
    if (!current || current.isOpenedByUser) {
      this.#takenAt = Number.NEGATIVE_INFINITY;
      this.#enter(current ? "focused" : "open");
      return;
    }
    this.#enter("settling");
    this.#parts.afterPendingKeys(() => {
      if (this.#queue[0] === current && this.#state === "settling") this.#enter("ready");
    });
  }

  #enter(state: State): void {
    this.#state = state;
    this.#parts.onFocus(this.hasKeyboard ? this.#queue[0]?.component : undefined);
    this.#parts.onChange();
  }

  #remove(shown: Shown): void {
    const wasCurrent = this.#queue[0] === shown;
    this.#queue = this.#queue.filter((other) => other !== shown);
    if (wasCurrent) this.#present();
  }
}
