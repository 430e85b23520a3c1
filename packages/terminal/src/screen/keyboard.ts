import type { EditorKeys } from "../keys/editor-keys.ts";
import { KeyBindings } from "../keys/key-bindings.ts";
import { hasText, isKeyPress } from "../keys/key-press.ts";
import type { Component } from "./component.ts";
import { QuestionSlot } from "./question-slot.ts";

/** The parts of the editor that the keyboard uses. */
interface MessageEditor extends Component {
  readonly isEmpty: boolean;
  readonly isShowingCompletions: boolean;
}

export interface KeyboardParts {
  editor: MessageEditor;
  /** The bindings that the editor uses as well. */
  editorKeys: EditorKeys;
  onFocus(component: Component): void;
  onChange(): void;
  onQuestion?(): void;
  /** Monotonic, in milliseconds. */
  now?(): number;
  afterPendingKeys?(done: () => void): void;
}

const PENDING_KEYS_MS = 30;

/** Routes every key to an action, the question or the editor. */
export class Keyboard {
  readonly questions: QuestionSlot;
  readonly bindings: KeyBindings;
  readonly #typing: TypingMonitor;
  /** The last read from the terminal, and whether it contains text. */
  #piece = "";
  #isPasted = false;

  constructor(parts: KeyboardParts) {
    const { editor, editorKeys, onFocus, onChange, onQuestion = () => {}, now = () => performance.now() } = parts;
    const { afterPendingKeys = afterNextReads } = parts;
    this.#typing = new TypingMonitor(now);
    this.questions = new QuestionSlot({
      onFocus: (component) => onFocus(component ?? editor),
      onChange,
      onQuestion,
      isKeyboardFree: () => editor.isEmpty && this.#typing.isQuiet,
      now,
      afterPendingKeys,
    });
    this.bindings = new KeyBindings(() => !this.questions.hasKeyboard, editorKeys);
    this.bindings.on("answer", () => !this.#isPasted && !editor.isShowingCompletions && this.questions.toggle());
  }

  /** Receives the result of one read from the terminal, before its keys. */
  read(piece: string): void {
    this.#piece = piece;
    this.#isPasted = hasText(piece);
  }

  /** Returns true if the component with the focus is to handle the key. */
  take(data: string): boolean {
    if (!isKeyPress(data)) return true;
    this.#typing.pressed();
    const read = { isPasted: this.#isPasted, isAlone: data === this.#piece };
    return this.questions.admit(data, read) && !this.bindings.handle(data);
  }

  /** Records keys that another program on this terminal received, for example the key that ended it. */
  pressedElsewhere(): void {
    this.#typing.pressed();
  }
}

/** A timer may fire before pending input is read; the event loop's next round reads it. */
function afterNextReads(done: () => void): void {
  setTimeout(() => setImmediate(done), PENDING_KEYS_MS);
}

/** A question that appears within this time of a key press does not take the keyboard focus. */
export const QUIET_MS = 1_000;

/** Tracks whether the user is typing. The clock is monotonic, so a change of the system time has no effect. */
class TypingMonitor {
  readonly #now: () => number;
  #pressedAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    // The enter that started the program counts, because keys typed right after it may not have been read yet.
    this.#pressedAt = now();
  }

  /** Records a key press, including keys that went to another program on this terminal. */
  pressed(): void {
    this.#pressedAt = this.#now();
  }

  get isQuiet(): boolean {
    return this.#now() - this.#pressedAt >= QUIET_MS;
  }
}
