import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readToolTexts } from "../../../src/resources/system-prompt/tool-texts.ts";

describe("the descriptions of a tool", () => {
  test("are lines", () => {
    expect(readToolTexts({ promptSnippet: " Opens\nthe gate\u202e ", promptGuidelines: ["a\tb", "", " "] })).toEqual({
      promptSnippet: "Opens the gate",
      promptGuidelines: ["a b"],
    });
  });

  test.each([
    {},
    { promptSnippet: 1, promptGuidelines: "no list" },
    { promptSnippet: "", promptGuidelines: [] },
    { promptSnippet: null, promptGuidelines: [1, null, {}] },
  ])("%p: none", (tool) => {
    expect(readToolTexts(tool)).toEqual({});
  });

  test("have an end", () => {
    const { promptSnippet, promptGuidelines } = readToolTexts({
      promptSnippet: "x".repeat(5000),
      promptGuidelines: Array.from({ length: 80 }, (_, n) => `${n}`),
    });
    expect([promptSnippet?.length, promptGuidelines?.length]).toEqual([1000, 50]);
  });

  test("read twice are the same", () => {
    const value = fc.oneof(fc.string({ unit: "grapheme" }), fc.constant(undefined), fc.integer());
    const tool = fc.record({ promptSnippet: value, promptGuidelines: fc.oneof(fc.array(value), value) });
    fc.assert(
      fc.property(tool, (written) => {
        const once = readToolTexts(written);
        expect(readToolTexts(once)).toEqual(once);
        const lines = [once.promptSnippet ?? "x", ...(once.promptGuidelines ?? [])];
        expect(lines.filter((line) => line === "" || /[\n\r]/.test(line))).toEqual([]);
      }),
    );
  });
});
