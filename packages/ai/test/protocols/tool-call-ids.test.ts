import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { alphanumericIds, createToolCallIdMapper, wordIds } from "../../src/protocols/tool-call-ids.ts";

const RULES = [
  ["words of 40", wordIds(40), /^[A-Za-z0-9_-]{1,40}$/],
  ["words of 64", wordIds(64), /^[A-Za-z0-9_-]{1,64}$/],
  ["nine letters and digits", alphanumericIds(9), /^[A-Za-z0-9]{9}$/],
] as const;

describe.each(RULES)("tool-call ids as %s", (_name, rule, allowed) => {
  test("every id is allowed, and different ids stay different", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(fc.string(), fc.string({ minLength: 60, maxLength: 500 }))), (ids) => {
        const toId = createToolCallIdMapper(rule);
        const mapped = ids.map(toId);
        expect(mapped.filter((id) => !allowed.test(id))).toEqual([]);
        expect(new Set(mapped).size).toBe(ids.length);
        expect(ids.map(toId)).toEqual(mapped);
      }),
    );
  });

  test("a longer conversation keeps its earlier ids", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (beginning, more) => {
        const short = createToolCallIdMapper(rule);
        const long = createToolCallIdMapper(rule);
        const expected = beginning.map(short);
        expect([...beginning, ...more].map(long).slice(0, beginning.length)).toEqual(expected);
      }),
    );
  });
});

test("an allowed id is sent unchanged", () => {
  expect(createToolCallIdMapper(wordIds(40))("call_abc-123")).toBe("call_abc-123");
  expect(createToolCallIdMapper(alphanumericIds(9))("D681PevKs")).toBe("D681PevKs");
});

test("the start of a foreign id stays readable", () => {
  expect(createToolCallIdMapper(wordIds(40))("functions.read:0")).toMatch(/^functions_read_0_[A-Za-z0-9]{9}$/);
});

test("an own id that looks like a mapped one gets another", () => {
  const mapped = createToolCallIdMapper(alphanumericIds(9))("call_1");
  const toId = createToolCallIdMapper(alphanumericIds(9));
  expect(toId("call_1")).toBe(mapped);
  expect(toId(mapped)).not.toBe(mapped);
  expect(toId(mapped)).toMatch(/^[A-Za-z0-9]{9}$/);
});
