import { describe, expect, test } from "bun:test";
import {
  capturedVariables,
  malformedVariable,
  parseTemplate,
  showVariable,
} from "../../../src/tools/ast/metavariables.ts";

const names = (pattern: string) => capturedVariables(pattern).map(showVariable);

function refuse(text: string): never {
  throw new Error(`refused ${text}`);
}

const parse = (pattern: string, template: string) => parseTemplate(template, capturedVariables(pattern), refuse);

describe("captured variables", () => {
  test.each([
    ["foo($A, $B1, $$$REST)", ["$A", "$B1", "$$$REST"]],
    ["$A == $A", ["$A"]],
    ["$A($$$A)", ["$A", "$$$A"]],
    ["$_ + $_X + $$$_Y + $$$", []],
    ["$el.find($x, $1, $Element)", []],
    [`\${NAME}`, []],
  ])("%s", (pattern, expected) => {
    expect(names(pattern)).toEqual(expected);
  });
});

test("$$NAME looks like a variable and is none", () => {
  expect(malformedVariable("foo($$A)")).toBe("$$A");
  expect(malformedVariable("foo($A, $$$B, $$, $$a)")).toBeUndefined();
});

describe("templates", () => {
  test("text and variables", () => {
    const a = { name: "A", isMany: false };
    const rest = { name: "REST", isMany: true };
    expect(parse("f($A, $$$REST)", "g($A, [$$$REST])$A")).toEqual(["g(", a, ", [", rest, "])", a, ""]);
    expect(parse("f($A)", "use$A")).toEqual(["use", a, ""]);
    expect(parse("f($A)", "")).toEqual([""]);
  });

  test.each([`\${x}`, "$(a)", "$element", "$Element", "$1", "$$", "cost: 5$"])("%s is text", (template) => {
    expect(parse("f($X)", template)).toEqual([template]);
  });

  test.each(["$B", "$$$A", "$$A", "$_", "$$$", "$A_old", "$Again", "$_A"])("%s is refused", (template) => {
    expect(() => parse("f($A, $_)", `g(${template})`)).toThrow(`refused ${template}`);
  });

  test("one node and many nodes of a name are different variables", () => {
    expect(() => parse("f($$$A)", "$A")).toThrow("refused $A");
    expect(() => parse("f($A)", "$$$A")).toThrow("refused $$$A");
  });
});
