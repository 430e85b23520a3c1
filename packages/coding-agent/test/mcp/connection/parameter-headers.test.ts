import { describe, expect, test } from "bun:test";
import { parameterHeaders as headersOf, readParameterHeaders } from "../../../src/mcp/connection/parameter-headers.ts";

function parameterHeaders(schema: object, args: Record<string, unknown>) {
  const declared = readParameterHeaders(schema);
  return headersOf(typeof declared === "string" ? [] : declared, args);
}

const marked = (name: unknown, type: unknown = "string") => ({ type, "x-mcp-header": name });
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

describe("arguments that are copied into headers", () => {
  const schema = object({
    region: marked("Region"),
    deep: object({ count: marked("Count", "integer") }),
    flag: marked("Flag", "boolean"),
    query: { type: "string" },
  });

  test("are those that the schema marks, converted to strings", () => {
    expect(parameterHeaders(schema, { region: "eu", deep: { count: 3 }, flag: false, query: "x" })).toEqual({
      "Mcp-Param-Region": "eu",
      "Mcp-Param-Count": "3",
      "Mcp-Param-Flag": "false",
    });
    expect(parameterHeaders(schema, { region: null, deep: 1, flag: {} })).toEqual({});
  });

  test.each([
    ["", "=?base64??="],
    [" a", "=?base64?IGE=?="],
    ["a\r\nx: y", "=?base64?YQ0KeDogeQ==?="],
    ["Zürich", "=?base64?WsO8cmljaA==?="],
    ["=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="],
    ["a b", "a b"],
  ])("keeps the header for %j on one line", (region, expected) => {
    expect(parameterHeaders(schema, { region })).toEqual({ "Mcp-Param-Region": expected });
  });

  test("omits a number that cannot be represented exactly as a string", () => {
    expect(parameterHeaders(schema, { deep: { count: 2 ** 60 } })).toEqual({});
  });
});

describe("invalid marks", () => {
  test.each<[string, object]>([
    ["an empty name", object({ a: marked("") })],
    ["a name that is not a string", object({ a: marked(5) })],
    ["a name with a space", object({ a: marked("My Region") })],
    ["a name with a line break", object({ a: marked("Region\r\nX") })],
    ["an object", object({ a: { ...object({}), "x-mcp-header": "A" } })],
    ["a number", object({ a: marked("A", "number") })],
    ["the same name twice", object({ a: marked("Region"), b: marked("region") })],
    ["the root", { ...object({}), "x-mcp-header": "A" }],
    ["an item of a list", object({ a: { type: "array", items: marked("A") } })],
    ["an alternative", object({}, { anyOf: [object({ a: marked("A") })] })],
    ["a definition", object({}, { $defs: { a: marked("A") } })],
  ])("are reported for %s", (_, schema) => {
    expect(readParameterHeaders(schema)).toContain("x-mcp-header");
  });

  test("do not include data that only resembles a mark", () => {
    const schema = object({ "x-mcp-header": { type: "string" }, a: { enum: [{ "x-mcp-header": 1 }], default: {} } });
    expect(readParameterHeaders(schema)).toEqual([]);
  });

  test("are detected in a schema of any width", () => {
    const anyOf = Array.from({ length: 1_000_000 }, () => true);
    expect(readParameterHeaders(object({ a: marked("A") }, { anyOf }))).toEqual([{ name: "A", path: ["a"] }]);
  });
});
