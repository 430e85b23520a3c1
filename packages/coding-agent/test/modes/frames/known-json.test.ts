import { expect, test } from "bun:test";
import fc from "fast-check";
import { knownJson, toFrameJson } from "../../../src/modes/frames/frame-json.ts";

/** Includes content that needs special care: "null" and line separators. */
const value = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>("a\u2028b", { n: null, nan: Number.NaN }, "null"));

/** The same value twice: plain, and with some parts known. */
const pair = fc.letrec<{ value: { plain: unknown; known: unknown } }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    value.map((plain) => ({ plain, known: plain })),
    value.map((plain) => ({ plain, known: knownJson(plain as object) })),
    fc.array(tie("value")).map((items) => ({
      plain: items.map(({ plain }) => plain),
      known: items.map(({ known }) => known),
    })),
  ),
})).value;

test("a frame reads the same, whichever parts of it are known", () => {
  fc.assert(
    fc.property(pair, ({ plain, known }) => {
      expect(toFrameJson({ type: "response", data: known })).toBe(toFrameJson({ type: "response", data: plain }));
    }),
  );
});

test("other ways to make JSON see the value", () => {
  const data = { tools: [{ name: "a" }] };
  expect(JSON.parse(JSON.stringify({ data: knownJson(data) }))).toEqual({ data });
});

test("a frame that cannot be written leaves nothing behind for the next", () => {
  const cyclic: Record<string, unknown> = { known: knownJson("first") };
  cyclic.self = cyclic;
  toFrameJson(cyclic);
  expect(toFrameJson({ known: knownJson("second") })).toBe('{"known":"second"}');
});
