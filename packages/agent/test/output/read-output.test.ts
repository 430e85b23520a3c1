import { describe, expect, test } from "bun:test";
import { type ReadingRules, readOutputText, readOutputValue } from "../../src/output/read-output.ts";
import { validatorFor } from "../../src/validate-arguments.ts";

const defect = {
  type: "object",
  properties: { file: { type: "string" }, line: { type: "integer" }, note: { type: "string" } },
  required: ["file", "line"],
  additionalProperties: false,
};
const rules = (schema: object, more: Partial<ReadingRules> = {}): ReadingRules => ({
  check: validatorFor(schema),
  isWrapped: false,
  hasAddedNulls: false,
  ...more,
});
const right = { file: "a.ts", line: 1 };

describe("one level around a valid output is removed", () => {
  for (const [what, value] of Object.entries({
    nothing: right,
    "a JSON string": JSON.stringify(right),
    "a fence": `\`\`\`json\n${JSON.stringify(right)}\n\`\`\``,
    output: { output: right },
    result: { result: right },
    value: { value: right },
    structured_output: { structured_output: right },
  })) {
    test(what, () => expect(readOutputValue(value, rules(defect))).toEqual({ kind: "valid", value: right }));
  }

  test("but not two levels, and no other key", () => {
    expect(readOutputValue({ output: { result: right } }, rules(defect)).kind).toBe("invalid");
    expect(readOutputValue({ answer: right }, rules(defect)).kind).toBe("invalid");
    expect(readOutputValue({ output: right, result: right }, rules(defect)).kind).toBe("invalid");
  });
});

test("a wrapped schema returns the wrapper's content, even if it would accept the wrapper itself", () => {
  expect(readOutputValue({ output: 7 }, rules({}, { isWrapped: true }))).toEqual({ kind: "valid", value: 7 });
  expect(readOutputValue({ output: { output: 7 } }, rules({}, { isWrapped: true }))).toEqual({
    kind: "valid",
    value: { output: 7 },
  });
  expect(readOutputText("[1]", rules({ type: "array" }, { isWrapped: true }))).toEqual({ kind: "valid", value: [1] });
});

test("violations name each location once", () => {
  expect(readOutputValue({ line: "1", "a/b": 1 }, rules(defect))).toEqual({
    kind: "invalid",
    value: { line: "1", "a/b": 1 },
    errors: [
      { path: "/file", message: "is required" },
      { path: "/a~1b", message: "is not allowed" },
      { path: "/line", message: "must be integer" },
    ],
  });
});

test("nulls that a strict copy of the schema caused are removed, and others are not", () => {
  const strict = rules(
    { ...defect, properties: { ...defect.properties, line: { type: ["integer", "null"] } } },
    { hasAddedNulls: true },
  );
  expect(readOutputValue({ file: "a", line: null, note: null }, strict)).toEqual({
    kind: "valid",
    value: { file: "a", line: null },
  });
  expect(readOutputValue({ file: null, line: 1, note: null }, strict).kind).toBe("invalid");
  expect(readOutputValue({ file: "a", line: 1, note: null }, rules(defect)).kind).toBe("invalid");
});

test("text that is not a JSON value is not an output", () => {
  for (const text of ["", "  ", "Here it is: {}", '{"file":"a","line":1} {}', "```json\n{\n```"]) {
    expect(readOutputText(text, rules(defect)).kind).toBe("missing");
  }
  expect(readOutputText(` ${JSON.stringify(right)}\n`, rules(defect))).toEqual({ kind: "valid", value: right });
});
