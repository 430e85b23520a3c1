import { expect, test } from "bun:test";
import { isRecord } from "../../src/foundation/is-record.ts";

test("an object with named members is a record; arrays, null and primitives are not", () => {
  const values = [{}, { a: 1 }, Object.create(null), new Map(), [], null, undefined, "text", 1, () => {}];
  expect(values.map(isRecord)).toEqual([true, true, true, true, false, false, false, false, false, false]);
});
