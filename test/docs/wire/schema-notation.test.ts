import { expect, test } from "bun:test";
import { type JsonSchema, refTo } from "@pintle/wire/schemas";
import { frameText } from "../../../scripts/docs/wire/frame-notation.ts";
import { declarationText, typeText } from "../../../scripts/docs/wire/schema-notation.ts";

test.each<[JsonSchema, string]>([
  [{}, "unknown"],
  [refTo("Model"), "Model"],
  [{ const: "a", type: "string" }, '"a"'],
  [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
  [{ type: "array", items: { type: "string", enum: ["a", "b"] } }, '("a" | "b")[]'],
  [{ type: "array", items: { anyOf: [refTo("A"), { type: "null" }] } }, "(A | null)[]"],
  [{ type: "array" }, "unknown[]"],
  [{ type: "object" }, "object"],
  [{ type: "object", additionalProperties: { type: "string" } }, "Record<string, string>"],
  [{ type: "object", required: ["a"], properties: { a: { type: "integer" }, b: {} } }, "{ a: integer, b?: unknown }"],
  [{ not: {} }, "never"],
])("%j", (schema, text) => {
  expect(typeText(schema)).toBe(text);
});

const fields = {
  type: "object",
  required: ["type", "n"],
  properties: { type: { const: "beat" }, n: { type: "integer", description: "counted" }, by: { type: "string" } },
  description: "Time passes.",
};

test("a declaration has a line per field", () => {
  expect(declarationText("Beat", fields)).toBe(
    '// Time passes.\ninterface Beat {\n  type: "beat";\n  n: integer; // counted\n  by?: string;\n}',
  );
  expect(declarationText("Word", { type: "string", enum: ["a"] })).toBe('type Word = "a";');
});

test("a frame is named by its type", () => {
  expect(frameText(fields, 4)).toBe("#### `beat`\n\nTime passes.\n\n- `n: integer`: counted\n- `by?: string`");
  const { description: _none, ...shape } = fields;
  expect(frameText({ anyOf: [shape] }, 4)).toBe("#### `beat`\n\n- `n: integer` (counted), `by?: string`");
});
