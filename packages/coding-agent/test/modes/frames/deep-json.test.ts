import { expect, test } from "bun:test";
import fc from "fast-check";
import { deepJson } from "../../../src/modes/frames/deep-json.ts";
import { toFrameJson } from "../../../src/modes/frames/frame-json.ts";

test("plain data gives the same text as JSON.stringify", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(deepJson(value)).toBe(JSON.stringify(value));
    }),
  );
  expect(deepJson({ a: undefined, b: [undefined, Number.NaN], "\u2028": {} })).toBe('{"b":[null,0],"\u2028":{}}');
});

test("a tree of a hundred thousand levels is written whole", () => {
  let tree: object = { children: [] };
  for (let depth = 0; depth < 100_000; depth += 1) tree = { children: [tree] };
  const text = toFrameJson({ type: "response", data: { tree: [tree] } });
  expect(text.match(/children/g)?.length).toBe(100_001);
  expect(text.endsWith("]}]}]}}")).toBe(true);
});

test("what makes its own JSON is asked for it at any depth", () => {
  const { deep } = { deep: [[[{ at: new Date(0) }]]] };
  expect(deepJson(deep)).toBe(JSON.stringify(deep));
});
