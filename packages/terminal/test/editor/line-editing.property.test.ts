import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LineEditing } from "../../src/editor/line-editing.ts";
import { positionAt, spotOf, textRows } from "../../src/editor/text-rows.ts";
import { EditorKeys } from "../../src/keys/editor-keys.ts";
import { widthOf } from "../../src/text/width.ts";

const KEY = {
  left: "\u001b[D",
  right: "\u001b[C",
  home: "\u001b[H",
  end: "\u001b[F",
  backspace: "\u007f",
  delete: "\u001b[3~",
  killStart: "\u0015",
  killEnd: "\u000b",
  yank: "\u0019",
  undo: "\u001f",
};
type KeyName = keyof typeof KEY;

/** The same text as characters before and after the cursor. */
interface Model {
  before: string[];
  after: string[];
  killed: string;
  wasKilled: boolean;
}

const lineStart = ({ before }: Model) => before.lastIndexOf("\n") + 1;
const lineEnd = ({ after }: Model) => (after.includes("\n") ? after.indexOf("\n") : after.length);

const MODEL: Record<Exclude<KeyName, "undo">, (model: Model) => void> = {
  left: ({ before, after }) => void (before.length > 0 && after.unshift(before.pop()!)),
  right: ({ before, after }) => void (after.length > 0 && before.push(after.shift()!)),
  home: (model) => void model.after.unshift(...model.before.splice(lineStart(model))),
  end: (model) => void model.before.push(...model.after.splice(0, lineEnd(model))),
  backspace: ({ before }) => void before.pop(),
  delete: ({ after }) => void after.shift(),
  killStart: (model) => {
    const start = lineStart(model);
    // At the start of a line, the end of the line above is deleted.
    const removed = model.before.splice(start === model.before.length ? Math.max(0, start - 1) : start).join("");
    if (removed !== "") model.killed = removed + (model.wasKilled ? model.killed : "");
    model.wasKilled ||= removed !== "";
  },
  killEnd: (model) => {
    const removed = model.after.splice(0, Math.max(1, lineEnd(model))).join("");
    if (removed !== "") model.killed = (model.wasKilled ? model.killed : "") + removed;
    model.wasKilled ||= removed !== "";
  },
  yank: ({ before, killed }) => void before.push(...(killed.match(/👨‍👩‍👧‍👦|./gsu) ?? [])),
};

const character = fc.constantFrom("a", "b", " ", "\n", "é", "日", "🙂", "👨‍👩‍👧‍👦");
const names = Object.keys(MODEL).filter((name): name is Exclude<KeyName, "undo"> => name in MODEL);
const step = fc.oneof(fc.record({ type: character }), fc.record({ press: fc.constantFrom(...names) }));

function press(editing: LineEditing, given: { type: string } | { press: KeyName }): void {
  if ("press" in given) editing.handle(KEY[given.press]);
  else editing.insert(given.type);
}

describe("editing", () => {
  test("behaves like a list of characters with a cursor", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const editing = new LineEditing(new EditorKeys());
        const model: Model = { before: [], after: [], killed: "", wasKilled: false };
        for (const one of steps) {
          press(editing, one);
          const isKill = "press" in one && one.press.startsWith("kill");
          if (!isKill) model.wasKilled = false;
          if ("press" in one) MODEL[one.press](model);
          else model.before.push(one.type);
          const expected = { text: [...model.before, ...model.after].join(""), cursor: model.before.join("").length };
          expect(editing.buffer.state).toEqual(expected);
        }
      }),
    );
  });

  test("undo reverts every change back to the empty text", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const editing = new LineEditing(new EditorKeys());
        const texts = [""];
        for (const one of steps) {
          press(editing, one);
          if (editing.buffer.text !== texts.at(-1)) texts.push(editing.buffer.text);
        }
        for (const text of texts.toReversed()) {
          while (editing.buffer.text !== text) {
            const before = editing.buffer.text;
            editing.handle(KEY.undo);
            if (editing.buffer.text === before) break;
          }
          expect(editing.buffer.text).toBe(text);
        }
      }),
    );
  });

  test("typed characters are undone a word at a time, a paste as a whole", () => {
    const editing = new LineEditing(new EditorKeys());
    for (const typed of "one two") editing.handle(typed);
    editing.insert("pasted text");
    const seen = [1, 2, 3, 4].map(() => {
      editing.handle(KEY.undo);
      return editing.buffer.text;
    });
    expect(seen).toEqual(["one two", "one ", "one", ""]);
  });

  test("words are those of a shell, of other scripts, and blocks", () => {
    const editing = new LineEditing(new EditorKeys());
    const deleteWord = (text: string) => {
      editing.setText(text);
      editing.handle("\u0017");
      return editing.buffer.text;
    };
    expect(["one two  ", "a.b();", "see [paste #1 +20 lines]", "日本語", "one\n"].map(deleteWord)).toEqual([
      "one ",
      "a.b",
      "see ",
      "",
      "one",
    ]);
  });

  test("a deleted text can be inserted again, and replaced by the one before", () => {
    const editing = new LineEditing(new EditorKeys());
    editing.setText("one");
    editing.handle(KEY.killStart);
    editing.handle("x");
    editing.handle(KEY.killStart);
    editing.handle(KEY.yank);
    expect(editing.buffer.text).toBe("x");
    editing.handle("\u001by");
    expect(editing.buffer.text).toBe("one");
  });

  test("ctrl+] jumps to the next character that is typed, a block is one character", () => {
    const editing = new LineEditing(new EditorKeys());
    editing.setText("see [paste #1 +20 lines]!");
    editing.handle(KEY.left);
    editing.handle(KEY.left);
    expect(editing.buffer.cursor).toBe(4);
    editing.handle("\u001d");
    editing.handle("!");
    expect(editing.buffer.cursor).toBe(editing.buffer.text.length - 1);
  });
});

describe("rows", () => {
  const text = fc.array(fc.constantFrom("a", "word", " ", "\n", "日本", "👨‍👩‍👧‍👦", "e\u0301"), { maxLength: 25 });
  test("fit, hold the whole text, and every place of the cursor has a row and a column of its own", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 15 }), (pieces, width) => {
        const whole = pieces.join("");
        const rows = textRows(whole, width);
        for (const row of rows) {
          expect(widthOf(row.text.trimEnd())).toBeLessThanOrEqual(width);
          expect(whole.slice(row.start, row.end)).toBe(row.text);
        }
        expect(rows.map((row, index) => row.text + (rows[index + 1]?.start === row.end + 1 ? "\n" : "")).join("")).toBe(
          whole,
        );
        let position = 0;
        for (const piece of ["", ...(whole.match(/👨‍👩‍👧‍👦|e\u0301|./gsu) ?? [])]) {
          position += piece.length;
          expect(positionAt(rows, spotOf(rows, position))).toBe(position);
        }
      }),
    );
  });
});
