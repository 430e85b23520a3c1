import { expect, test } from "bun:test";
import { EditorKeys } from "../../src/keys/editor-keys.ts";
import { fuzzyFilter } from "../../src/lists/fuzzy.ts";
import { SelectList } from "../../src/lists/select-list.ts";
import { createTheme } from "../../src/screen/theme.ts";

const [UP, DOWN, ENTER, ESCAPE, PAGE_DOWN] = ["\u001b[A", "\u001b[B", "\r", "\u001b", "\u001b[6~"] as const;

test("wraps around, scrolls with the selection and returns the chosen item", () => {
  const done: string[] = [];
  const items = ["one", "two", "three"].map((value) => ({ value, label: value, description: `the ${value}` }));
  const options = {
    maxRows: 2,
    onSelect: ({ value }: { value: string }) => done.push(value),
    onCancel: () => done.push("left"),
  };
  const list = new SelectList(items, options, createTheme({ NO_COLOR: "1" }), new EditorKeys());
  const shown = (width = 60) => list.render(width).map((line) => Bun.stripANSI(line).trimEnd());
  expect(shown()).toEqual(["→ one  the one", "  two  the two", "  (1/3)"]);
  expect(shown(20)).toEqual(["→ one", "  two", "  (1/3)"]);
  list.handleInput(UP);
  expect(shown()).toEqual(["  two    the two", "→ three  the three", "  (3/3)"]);
  for (const key of [ENTER, DOWN, ENTER, PAGE_DOWN, ENTER, ESCAPE, "x"]) list.handleInput(key);
  expect(done).toEqual(["three", "one", "three", "left"]);
});

test("a filter finds characters in order, whole words first", () => {
  const names = ["set-model", "mode", "my old dell", "other"];
  expect(fuzzyFilter(names, "mode", (name) => name)).toEqual(["mode", "set-model", "my old dell"]);
  expect(fuzzyFilter(names, "set mod", (name) => name)).toEqual(["set-model"]);
  expect(fuzzyFilter(names, "", (name) => name)).toEqual(names);
});
