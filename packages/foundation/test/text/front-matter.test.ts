import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { parseFrontMatter } from "../../src/text/front-matter.ts";

describe("a head", () => {
  test.each<[string, string, Record<string, unknown>, string]>([
    ["YAML", "---\na: 1\nlist: [x, y]\n---\nbody\n", { a: 1, list: ["x", "y"] }, "body\n"],
    ["none", "body\n---\na: 1\n---\n", {}, "body\n---\na: 1\n---\n"],
    ["empty", "---\n---\nbody", {}, "body"],
    ["never closed", "---\na: 1\nbody", {}, "---\na: 1\nbody"],
    ["at the end of the file", "---\na: 1\n---", { a: 1 }, ""],
    ["with a byte order mark and Windows lines", "\uFEFF---\r\na: b\r\n---\r\none\r\ntwo", { a: "b" }, "one\ntwo"],
    ["that is no mapping", "---\njust text\n---\nbody", {}, "body"],
    ["with a longer line of dashes inside", "---\na: |\n  ----\n---\nbody", { a: "----\n" }, "body"],
    [
      "of a Cursor rule",
      "---\ndescription: d\nglobs: *.ts,*.tsx\nalwaysApply: false\n---\nx",
      cursor("*.ts,*.tsx"),
      "x",
    ],
    [
      "with deep globs",
      "---\ndescription: d\nglobs: **/*.{a,b}'s  \nalwaysApply: false\n---\nx",
      cursor("**/*.{a,b}'s"),
      "x",
    ],
    ["with globs as a list", "---\nglobs:\n  - *.ts\n  - a/*\n---\nx", { globs: ["*.ts", "a/*"] }, "x"],
    ["without values", "---\ndescription:\nglobs:\n---\nx", { description: null, globs: null }, "x"],
  ])("%s", (_, text, fields, body) => {
    expect(parseFrontMatter(text)).toEqual({ fields, body });
  });

  test("that is not YAML is read line by line, and says why", () => {
    const head =
      'a: [x\nb: "two words"\nc: true\nd: false\n  e: deeper\nlist:\n  - "one\\."\n  - two\nno line\n__proto__: x\n';
    const { fields, body, problem } = parseFrontMatter(`---\n${head}---\nbody`);
    expect(fields).toEqual({ a: "[x", b: "two words", c: true, d: false, list: ["one\\.", "two"] });
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    expect(body).toBe("body");
    expect(problem).toContain("YAML");
  });
});

function cursor(globs: string): Record<string, unknown> {
  return { description: "d", globs, alwaysApply: false };
}

test("no text breaks it, and the body is never lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab:-*[]{}'\"\\ \n\t&!|>#%@`,") }), (head) => {
      fc.pre(!/^---[ \t]*$/m.test(head));
      expect(parseFrontMatter(`---\n${head}\n---\nbody`).body).toBe("body");
    }),
    propertyRuns({ numRuns: 1_000, seed: 6 }),
  );
});
