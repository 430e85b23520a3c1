import { expect, test } from "bun:test";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { PromptEditor } from "../../src/editor/prompt-editor.ts";
import { EditorKeys } from "../../src/keys/editor-keys.ts";
import { InputSplitter } from "../../src/keys/input-splitter.ts";
import { Choice } from "../../src/questions/choice.ts";
import type { Component } from "../../src/screen/component.ts";
import { Keyboard, QUIET_MS } from "../../src/screen/keyboard.ts";
import { UNREAD_MS } from "../../src/screen/question-slot.ts";
import { createTheme } from "../../src/screen/theme.ts";

/**
 * The terminal's keyboard with a clock, an event loop and frames that the test controls. Whatever is typed, pasted and asked,
 * in whatever order, only a single key press can answer, and only a question that the last frame showed with the keyboard
 * focus.
 */

const KEY = { enter: "\r", tab: "\t", down: "\u001b[B", up: "\u001b[A", escape: "\u001b", backspace: "\u007f" };

type Step =
  | { do: "read"; keys: string[] }
  | { do: "paste"; text: string }
  | { do: "wait"; ms: number }
  | { do: "ask" | "withdraw" | "settle" | "draw" | "clear" };

const text = fc.constantFrom("a", "y", "1", " ", "é");
const key = fc.constantFrom(...Object.values(KEY), KEY.enter, KEY.tab, KEY.down);
const keys = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(key) },
  { weight: 1, arbitrary: fc.tuple(text) },
  { weight: 1, arbitrary: fc.array(fc.oneof(key, text), { minLength: 2, maxLength: 4 }) },
);
const PASTES = ["yes\r", "\r", "\t\r", "two\nlines"];
const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant("read"), keys }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("paste"), text: fc.constantFrom(...PASTES) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.constantFrom(10, 400, 999, 1_000, 5_000) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("ask") }) },
    { weight: 8, arbitrary: fc.record({ do: fc.constantFrom("draw", "settle") }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("withdraw", "clear") }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 20, maxLength: 80, size: "max" },
);

function split(piece: string): string[] {
  const splitter = new InputSplitter();
  return [...splitter.take(piece), ...splitter.flush()];
}

class Desk {
  now = 10_000;
  /** The start counts as a key press. */
  pressedAt = this.now;
  /** The question that had the keyboard focus in the last frame, if any. */
  shown: Choice | undefined;
  /** When that frame was drawn. */
  shownAt = 0;
  /** True if the user has moved to the open question. */
  called = false;
  readonly given: { question: Choice; value: string | undefined }[] = [];
  readonly sent: string[] = [];
  readonly editor: PromptEditor;
  readonly keyboard: Keyboard;
  readonly #settling: (() => void)[] = [];
  readonly #open: { question: Choice; abort: AbortController }[] = [];
  readonly #keys = new EditorKeys();
  #focused: Component;

  constructor() {
    const theme = createTheme({ NO_COLOR: "1" });
    this.editor = new PromptEditor({ requestRender: () => {}, rows: 24 }, theme, this.#keys);
    this.editor.onSubmit = (text) => this.sent.push(text);
    this.#focused = this.editor;
    this.keyboard = new Keyboard({
      editor: this.editor,
      editorKeys: this.#keys,
      onFocus: (component) => {
        for (const one of [this.#focused, component]) if ("focused" in one) one.focused = one === component;
        this.#focused = component;
      },
      onChange: () => {},
      now: () => this.now,
      afterPendingKeys: (done) => this.#settling.push(done),
    });
  }

  ask(): void {
    const abort = new AbortController();
    let question!: Choice;
    const make = (done: (value: string | undefined) => void) => {
      question = new Choice(
        {
          title: ["May it?"],
          items: ["deny", "allow", "always"].map((value) => ({
            value,
            label: value,
            ...(value === "allow" && { key: "y" }),
          })),
          onDone: (value) => {
            this.given.push({ question, value });
            done(value);
          },
        },
        createTheme({ NO_COLOR: "1" }),
        this.#keys,
      );
      return question;
    };
    void this.keyboard.questions.show(make, { signal: abort.signal });
    this.#open.push({ question, abort });
  }

  withdraw(): void {
    this.#open.shift()?.abort.abort();
  }

  settle(): void {
    for (const done of this.#settling.splice(0)) done();
  }

  draw(): void {
    const before = this.shown;
    const lines = this.keyboard.questions.render(80);
    const marked = lines.find((line) => line.startsWith("→ "));
    this.shown = marked === undefined ? undefined : this.#focused instanceof Choice ? this.#focused : undefined;
    if (!this.shown || this.shown === before) return;
    this.shownAt = this.now;
    // The frame since which it has the focus.
    const wasFree = this.editor.isEmpty && this.now - this.pressedAt >= QUIET_MS;
    expect(wasFree || this.called).toBe(true);
    if (!this.called) expect(marked).toContain("deny");
  }

  /** One read of the terminal. */
  read(piece: string): void {
    this.keyboard.read(piece);
    const keys = split(piece);
    const hasText = keys.some((key) => key.startsWith("\u001b[200~") || /^\P{Cc}$/u.test(key));
    for (const key of keys) {
      const answers = this.given.length;
      const isRead = this.called || this.now - this.shownAt >= UNREAD_MS;
      const text = this.editor.fullText;
      this.pressedAt = this.now;
      if (this.keyboard.take(key)) this.#focused.handleInput?.(key);
      this.called = this.keyboard.questions.hasKeyboard && (this.called || key === KEY.tab);
      if (this.given.length === answers) continue;
      const { question: answered } = this.given.at(-1)!;
      const isByList = [KEY.enter, KEY.escape].includes(key) && !hasText;
      // A key of the list, alone in its read, on a question that the user has moved to or had time to see.
      const isByCharacter = /^[1-3y]$/.test(key) && key === piece && isRead;
      expect({ shown: answered === this.shown, isMeant: isByList || isByCharacter }).toEqual({
        shown: true,
        isMeant: true,
      });
      expect(this.editor.fullText).toBe(text); // the draft is unchanged
      this.shown = undefined;
    }
  }
}

test(
  "a question is answered only by a key press while it is shown with the keyboard",
  () => {
    let answers = 0;
    fc.assert(
      fc.property(steps, (all) => {
        const desk = new Desk();
        const doing: { [D in Step["do"]]: (step: Extract<Step, { do: D }>) => void } = {
          read: (step) => desk.read(step.keys.join("")),
          paste: (step) => desk.read(`\u001b[200~${step.text}\u001b[201~`),
          wait: ({ ms }) => {
            desk.now += ms;
          },
          ask: () => desk.ask(),
          withdraw: () => desk.withdraw(),
          settle: () => desk.settle(),
          draw: () => desk.draw(),
          clear: () => desk.editor.setText(""),
        };
        for (const step of all) (doing[step.do] as (step: Step) => void)(step);
        answers += desk.given.length;
      }),
      propertyRuns({ numRuns: 300, seed: 37 }),
    );
    expect(answers).toBeGreaterThan(20); // questions were answered on purpose as well
  },
  PROPERTY_TIMEOUT_MS,
);
