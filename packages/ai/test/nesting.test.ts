import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseArguments } from "../src/message-builder.ts";
import { isTooDeep, MAX_NESTING } from "../src/nesting.ts";

/**
 * Returns a value of exactly that many levels, nested in objects and arrays as the pattern says, with siblings along
 * the way.
 */
function nested(levels: number, isArray: readonly boolean[], neighbour: unknown): unknown {
  let value: unknown = "leaf";
  for (let level = 0; level < levels; level += 1) {
    const beside = level < 2 ? 0 : neighbour; // which has at most two levels
    value = isArray[level % isArray.length] ? [beside, value] : { beside, value };
  }
  return value;
}

const shape = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });
const neighbour = fc.oneof(fc.constant(null), fc.string(), fc.constant([]), fc.constant({ a: [1] }));

test("a value is too deep exactly if it has more levels than allowed", () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 400 }), shape, neighbour, (levels, isArray, beside) => {
      expect(isTooDeep(nested(levels, isArray, beside))).toBe(levels > MAX_NESTING);
      expect(isTooDeep(nested(levels, isArray, beside), levels)).toBe(false);
      expect(isTooDeep(nested(levels, isArray, beside), levels - 1)).toBe(true);
    }),
  );
});

test("a value within the limit can be written, read and cloned by everything that recurses", () => {
  fc.assert(
    fc.property(shape, (isArray) => {
      const value = nested(MAX_NESTING, isArray, 0);
      expect(JSON.parse(JSON.stringify(value))).toEqual(structuredClone(value));
    }),
    { numRuns: 20 },
  );
});

test.each([1_000, 23_000, 60_000, 1_000_000])("%i levels do not use stack", (levels) => {
  expect(isTooDeep(JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`))).toBe(true);
});

test("a cyclic value has no depth, however many paths lead into it", () => {
  const one: Record<string, unknown> = {};
  const other: Record<string, unknown> = { one, again: one };
  Object.assign(one, { one, other, list: [one, other] });
  expect(isTooDeep(one)).toBe(false);
});

test("does not visit bytes one by one", () => {
  expect(isTooDeep({ data: new Uint8Array(64 * 1024 * 1024) })).toBe(false);
});

test("arguments that are too deep are refused and not stored", () => {
  const text = `${'{"a":'.repeat(30_000)}1${"}".repeat(30_000)}`;
  const { arguments: args, argumentsError } = parseArguments(text);
  expect(args).toEqual({});
  expect(argumentsError).toStartWith('Arguments are nested more than 200 levels deep. Received: {"a":{"a":');
});
