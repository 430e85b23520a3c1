import { isText } from "../keys/key-press.ts";
import type { Component } from "./component.ts";

export interface ShowOptions {
  /** Takes the component away: no answer is wanted any more. */
  signal?: AbortSignal;
  /** The user has just asked for it, as for a list of models: it has the keyboard at once, before all questions. */
  isOpenedByUser?: boolean;
}

/** A component that reads text. Any other leaves text to the message. */
export interface TextComponent extends Component {
  readonly takesText: boolean;
}

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
  /** The editor is empty, and no key was pressed for a while. */
  isKeyboardFree(): boolean;
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
    });
  }

  /** The key for it was pressed: the keyboard goes to the question, or back to the editor. Returns false without a question. */
  toggle(): boolean {
    if (!this.question) return false;
    this.#enter(this.hasKeyboard ? "open" : "taking");
    return true;
  }

  /**
   * Decides on a key before anything handles it. `isPasted`: it was read together with text, as when a terminal pastes without
   * saying so. Returns false if the key is to be dropped.
   */
  admit(data: string, isPasted: boolean): boolean {
    const { question } = this;
    if (!question || !this.hasKeyboard) return true;
    const takesText = "takesText" in question && question.takesText === true;
    if (!takesText && (isPasted || isText(data))) {
      this.#enter("open");
      return true;
    }
    if (this.#state === "taking") return false;
    return !isPasted || isText(data);
  }

  /** Nothing that is shown or waits gets an answer. */
  closeAll(): void {
    for (const shown of this.#queue) shown.close();
  }

  /** Called for every frame that reaches the terminal. */
  render(width: number): string[] {
    const current = this.#queue[0];
    if (!current || this.#state === "settling") return [];
    if (this.#state === "ready") this.#enter(this.#parts.isKeyboardFree() ? "focused" : "open");
    else if (this.#state === "taking") this.#enter("focused");
    return current.component.render(width);
  }

  #present(): void {
    const current = this.#queue[0];
    if (!current || current.isOpenedByUser) {
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
