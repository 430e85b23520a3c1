import { typedText } from "../keys/key-name.ts";
import { isText } from "../keys/key-press.ts";
import type { Component } from "./component.ts";

export interface ShowOptions {
  /** Takes the component away: no answer is wanted any more. */
  signal?: AbortSignal;
  /** The user has just asked for it, as for a list of models: it has the keyboard at once, before all questions. */
  isOpenedByUser?: boolean;
}

/** A component that decides on text. Any other leaves text to the message. */
export interface TextComponent extends Component {
  /** It reads all text that is typed or pasted. */
  readonly takesText: boolean;
  /** Returns whether a character by itself answers it. */
  hasKey?(character: string): boolean;
}

/** What a key arrived with in one read from the terminal. */
export interface KeyRead {
  /** Text came with it, as when a terminal pastes without reporting a paste; also if the key itself is text. */
  isPasted: boolean;
  /** Nothing came with it. */
  isAlone: boolean;
}

/**
 * A question that has taken the keyboard by itself is not answered by a character before this time has passed: the character
 * may be the first one of a message.
 */
export const UNREAD_MS = 1_000;

interface Shown {
  component: Component | TextComponent;
  isOpenedByUser: boolean;
  close(): void;
}

/**
 * - `settling`: just arrived. Keys that were pressed before may still be on their way, so it is not shown yet.
 * - `ready`: shown with the next frame, which decides whether it has the keyboard.
 * - `open`: shown without the keyboard.
 * - `taking`: the user has called it; it has the keyboard with the next frame. Keys that arrive before are dropped.
 * - `focused`: shown with the keyboard.
 */
type State = "settling" | "ready" | "open" | "taking" | "focused";

export interface SlotParts {
  /** Receives what handles the keys now; undefined for the editor. */
  onFocus(component: Component | undefined): void;
  onChange(): void;
  /** Called when a question is asked that the user has not opened. */
  onQuestion(): void;
  /** The editor is empty, and no key was pressed for a while. */
  isKeyboardFree(): boolean;
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Calls back when the keys that were pressed before this call have been read. */
  afterPendingKeys(done: () => void): void;
}

/**
 * Questions, pickers and dialogs, one at a time, and the only owner of the decision who reads the keys: the question or the
 * editor. A question takes the keyboard by itself only while it is free, and never before the frame that shows it.
 */
export class QuestionSlot {
  #queue: readonly Shown[] = [];
  #state: State = "open";
  /** When the question got the keyboard without being called. */
  #takenAt = Number.NEGATIVE_INFINITY;
  readonly #parts: SlotParts;

  constructor(parts: SlotParts) {
    this.#parts = parts;
  }

  /** Returns true if keys are not for the editor. */
  get hasKeyboard(): boolean {
    return this.#queue.length > 0 && (this.#state === "taking" || this.#state === "focused");
  }

  /** Returns the question on the screen; a picker that the user has opened is none. */
  get question(): Component | undefined {
    const current = this.#queue[0];
    const isShown = this.#state !== "settling" && this.#state !== "ready";
    return isShown && current && !current.isOpenedByUser ? current.component : undefined;
  }

  /** Resolves with what `make` hands to `done`, or with undefined when the signal has fired first. */
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

  /** The key for it was pressed: the keyboard goes to the question, or back to the editor. Returns false without a question. */
  toggle(): boolean {
    if (!this.question) return false;
    this.#enter(this.hasKeyboard ? "open" : "taking");
    return true;
  }

  /** Decides on a key before anything handles it. Returns false if the key is to be dropped. */
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

  /** A list that the user has opened is answered by no text that came with other text, either. */
  get #readsText(): boolean {
    const component = this.#queue[0]?.component;
    return component !== undefined && (!("hasKey" in component) || component.takesText);
  }

  #isAnswer(data: string, question: Component | TextComponent): boolean {
    const character = typedText(data);
    if (character === undefined || this.#state !== "focused" || !("hasKey" in question)) return false;
    return this.#parts.now() - this.#takenAt >= UNREAD_MS && question.hasKey?.(character) === true;
  }

  /** Nothing that is shown or waits gets an answer. */
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
