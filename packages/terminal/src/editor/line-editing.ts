import type { EditorAction, EditorKeys } from "../keys/editor-keys.ts";
import { typedText } from "../keys/key-name.ts";
import { KillRing } from "./kill-ring.ts";
import { TextBuffer, type TextState } from "./text-buffer.ts";

type Handler = () => void;

/** Edits a text with a shell's keys: movement, deletion, insertion of deleted text, undo. */
export class LineEditing {
  readonly buffer = new TextBuffer();
  readonly #keys: EditorKeys;
  readonly #undo = new UndoHistory();
  readonly #kills = new KillRing();
  /** The text that was just inserted from the kill ring. */
  #yanked: { start: number; end: number } | undefined;
  #jump: "before" | "after" | undefined;

  constructor(keys: EditorKeys) {
    this.#keys = keys;
  }

  readonly #handlers: Readonly<Partial<Record<EditorAction, Handler>>> = {
    "tui.editor.cursorLeft": () => this.#move(this.buffer.before("unit")),
    "tui.editor.cursorRight": () => this.#move(this.buffer.after("unit")),
    "tui.editor.cursorWordLeft": () => this.#move(this.buffer.before("word")),
    "tui.editor.cursorWordRight": () => this.#move(this.buffer.after("word")),
    "tui.editor.cursorLineStart": () => this.#move(this.buffer.line.start),
    "tui.editor.cursorLineEnd": () => this.#move(this.buffer.line.start + this.buffer.line.text.length),
    "tui.editor.deleteCharBackward": () => this.#remove(this.buffer.before("unit"), this.buffer.cursor),
    "tui.editor.deleteCharForward": () => this.#remove(this.buffer.cursor, this.buffer.after("unit")),
    "tui.editor.deleteWordBackward": () => this.#kill("before", this.buffer.before("word")),
    "tui.editor.deleteWordForward": () => this.#kill("after", this.buffer.after("word")),
    "tui.editor.deleteToLineStart": () => this.#kill("before", this.buffer.before("line")),
    "tui.editor.deleteToLineEnd": () => this.#kill("after", this.buffer.after("line")),
    "tui.editor.yank": () => this.#yank(this.#kills.newest, this.buffer.cursor),
    "tui.editor.yankPop": () => this.#yankPop(),
    "tui.editor.undo": () => this.#restore(),
    "tui.editor.jumpForward": () => this.#expectJump("after"),
    "tui.editor.jumpBackward": () => this.#expectJump("before"),
  };
  readonly #actions = Object.keys(this.#handlers).filter((name): name is EditorAction => name in this.#handlers);

  /** Returns false if the key has no meaning here. */
  handle(data: string): boolean {
    const text = typedText(data);
    if (this.#jump && text !== undefined) {
      this.#jumpTo(text, this.#jump);
      return true;
    }
    this.#jump = undefined;
    const action = this.#keys.find(data, this.#actions);
    if (action) this.#handlers[action]?.();
    else if (text !== undefined) this.type(text);
    else return false;
    return true;
  }

  /** Inserts a character that was typed. */
  type(text: string): void {
    this.#change(text.trim() === "" ? "space" : "type");
    this.buffer.insert(text);
  }

  /** Inserts text in one step, like a paste; one undo removes it. */
  insert(text: string): void {
    this.replace(this.buffer.cursor, this.buffer.cursor, text);
  }

  replace(start: number, end: number, text: string): void {
    this.#change("other");
    this.buffer.replace(start, end, text);
  }

  /** Replaces the text; undo restores it. */
  setText(text: string): void {
    if (text !== this.buffer.text) this.#change("other");
    this.buffer.setText(text);
  }

  moveTo(cursor: number): void {
    this.#move(cursor);
  }

  /** Replaces the text and clears the undo history. */
  reset(text = ""): void {
    this.#interrupt();
    this.#undo.clear();
    this.buffer.setText(text);
  }

  #interrupt(): void {
    this.#undo.interrupt();
    this.#kills.close();
    this.#yanked = undefined;
  }

  #change(change: "type" | "space" | "other"): void {
    this.#undo.store(this.buffer.state, change);
    this.#kills.close();
    this.#yanked = undefined;
  }

  #move(cursor: number): void {
    this.#interrupt();
    this.buffer.moveTo(cursor);
  }

  #remove(start: number, end: number): void {
    if (start === end) return;
    this.#change("other");
    this.buffer.remove(start, end);
  }

  #kill(side: "before" | "after", place: number): void {
    const { cursor } = this.buffer;
    if (place === cursor) return;
    this.#undo.store(this.buffer.state, "other");
    this.#yanked = undefined;
    this.#kills.add(this.buffer.remove(Math.min(place, cursor), Math.max(place, cursor)), side);
  }

  #yank(text: string | undefined, start: number): void {
    if (text === undefined) return;
    this.#change("other");
    this.buffer.replace(start, this.buffer.cursor, text);
    this.#yanked = { start, end: this.buffer.cursor };
  }

  /** Replaces the text just inserted with the previous deleted text. */
  #yankPop(): void {
    if (this.#yanked) this.#yank(this.#kills.rotate(), this.#yanked.start);
  }

  #restore(): void {
    const state = this.#undo.take();
    this.#interrupt();
    if (state) this.buffer.state = state;
  }

  #expectJump(side: "before" | "after"): void {
    this.#jump = side;
  }

  #jumpTo(character: string, side: "before" | "after"): void {
    this.#jump = undefined;
    const { text, cursor } = this.buffer;
    const at = side === "after" ? text.indexOf(character, cursor + 1) : text.slice(0, cursor).lastIndexOf(character);
    if (at !== -1) this.#move(at);
  }
}

const MAX_STATES = 200;

/** The kind of a change, so that typed characters are undone a word at a time. */
type Change = "type" | "space" | "other";

/** Stores earlier states of the message. */
class UndoHistory {
  #states: TextState[] = [];
  #last: Change = "other";

  /** Stores the state before a change. */
  store(state: TextState, change: Change): void {
    const isSameWord = change === "type" && this.#last === "type";
    this.#last = change;
    if (isSameWord) return;
    this.#states.push(state);
    if (this.#states.length > MAX_STATES) this.#states.shift();
  }

  /** Makes the next character a separate step, as after a cursor movement. */
  interrupt(): void {
    this.#last = "other";
  }

  take(): TextState | undefined {
    this.#last = "other";
    return this.#states.pop();
  }

  clear(): void {
    this.#states = [];
    this.#last = "other";
  }
}
