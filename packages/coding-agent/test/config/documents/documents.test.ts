import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseConfigText } from "../../../src/config/config-text.ts";
import { changesBetween } from "../../../src/config/documents/changes.ts";
import { editJsonc, readJsonc } from "../../../src/config/documents/json-document.ts";
import { editYaml, findYamlFault } from "../../../src/config/documents/yaml-document.ts";

describe("a fault has its line and quotes nothing of the text", () => {
  test.each<[string, string, number]>([
    ["a bracket that never closes", "a: 1\nb: [1,\nc: 2\nd: 3\n", 3],
    ["after brackets over several lines", "a: [\n  1,\n  2\n]\nb: 1\nc: }\nd: 2\n", 6],
    ["on the only line", "retry: [", 1],
    ["in a quoted string", 'a: 1\nx: "open\n', 3],
  ])("YAML: %s", (_name, text, line) => {
    expect(findYamlFault(text)).toBe(line);
    expect(parseConfigText(text, "yaml")).toEqual({ problem: `is not valid YAML at line ${line}` });
  });

  test.each<[string, number, number]>([
    ["", 1, 1],
    ["{", 1, 2],
    ['{ "a" 1 }', 1, 7],
    ["{ a: 1 }", 1, 3],
    ['{ "a": nul }', 1, 8],
    ["{} {}", 1, 4],
    ['\r\n{\r\n\t"a": [1}\r\n}', 3, 9],
  ])("JSON: %j", (text, line, column) => {
    expect(parseConfigText(text, "json")).toEqual({ problem: `is not valid JSON at line ${line}, column ${column}` });
  });
});

test("YAML without a fault has no line", () => {
  expect([findYamlFault("a: [1]\n# b\n"), findYamlFault("")]).toEqual([undefined, undefined]);
});

const member = fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom("x", "a: #b", "yes", "1e3", "", "é"));
const tree = fc.dictionary(
  fc.constantFrom("a", "b.c", "d", "__proto__", "#e", "f g"),
  fc.oneof(member, fc.array(member), fc.dictionary(fc.constantFrom("x", "y"), member, { noNullPrototype: true })),
  { noNullPrototype: true },
);

test("a changed file contains exactly what was requested", () => {
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      const changes = changesBetween(before, after);
      const json = editJsonc(`// first\n${JSON.stringify(before, null, 2)}\n`, changes, "  ");
      expect(json).toStartWith("// first\n");
      expect(readJsonc(json)).toEqual({ value: after });
      const yaml = editYaml(`# first\n${Bun.YAML.stringify(before, null, 2)}\n`, changes);
      expect(Bun.YAML.parse(yaml)).toEqual(after);
    }),
  );
});
