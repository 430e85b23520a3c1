import { expect, test } from "bun:test";
import { isRecord } from "../../src/foundation/is-record.ts";

test("what has members by name is a record; arrays, null and plain values are none", () => {
  const values = [{}, { a: 1 }, Object.create(null), new Map(), [], null, undefined, "text", 1, () => {}];
  expect(values.map(isRecord)).toEqual([true, true, true, true, false, false, false, false, false, false]);
});
