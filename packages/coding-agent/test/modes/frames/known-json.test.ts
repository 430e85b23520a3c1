import { expect, test } from "bun:test";
import fc from "fast-check";
import { toFrameJson } from "../../../src/modes/frames/frame-json.ts";
import { KnownJson } from "../../../src/modes/frames/known-json.ts";

/** The same value twice: plain, and with some parts of it known. */
const pair = fc.letrec<{ value: { plain: unknown; known: unknown } }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.jsonValue().map((plain) => ({ plain, known: plain })),
    fc.jsonValue().map((plain) => ({ plain, known: new KnownJson(plain) })),
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
  expect(JSON.parse(JSON.stringify({ data: new KnownJson(data) }))).toEqual({ data });
});

test("a frame that cannot be written leaves nothing behind for the next", () => {
  const cyclic: Record<string, unknown> = { known: new KnownJson("first") };
  cyclic.self = cyclic;
  toFrameJson(cyclic);
  expect(toFrameJson({ known: new KnownJson("second") })).toBe('{"known":"second"}');
});
