import { describe, expect, test } from "bun:test";
import { homedir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { displayPath, resolveToolPath } from "../../../src/tools/shared/paths.ts";

const CWD = "/srv/project";

describe("resolveToolPath", () => {
  test.each([
    ["a.ts", "/srv/project/a.ts"],
    ["./a/../b.ts", "/srv/project/b.ts"],
    ["../x", "/srv/x"],
    ["/abs/x", "/abs/x"],
    ["@src/a.ts", "/srv/project/src/a.ts"],
    ["@@scope/a.ts", "/srv/project/@scope/a.ts"],
    ["./@scope/a.ts", "/srv/project/@scope/a.ts"],
    ["~", homedir()],
    ["~/x", join(homedir(), "x")],
    ["@~/x", join(homedir(), "x")],
    ["~other/x", "/srv/project/~other/x"],
    ["a\u00a0b\u202fc\u3000d", "/srv/project/a b c d"],
    [".", CWD],
  ])("%j", (path, expected) => {
    expect(resolveToolPath(path, CWD)).toBe(expected);
  });

  test.each(["a\0b", "a\nb", "\u001b[2J", "a\u007f", "a\u0085"])("%j has a control character", (path) => {
    expect(() => resolveToolPath(path, CWD)).toThrow(/^The path ".*\\.*" contains a control character/);
  });

  test.each(["", "@", "  ", "\u00a0"])("%j is empty", (path) => {
    expect(() => resolveToolPath(path, CWD)).toThrow("The path is empty.");
  });
});

describe("displayPath", () => {
  test.each([
    ["/srv/project/src/a.ts", "src/a.ts"],
    ["/srv/project", "."],
    ["/srv/project2/a", "/srv/project2/a"],
    ["/work", "/work"],
    ["/srv/project/..a", "..a"],
    ["/srv/project/@types/x", "./@types/x"],
    ["/srv/project/~", "./~"],
    ["/srv/project/a\nb\u001b[2J\u202e", "a\\nb\\x1b[2J\\u202e"],
  ])("%j", (path, expected) => {
    expect(displayPath(path, CWD)).toBe(expected);
  });

  test("given back it means the same file", () => {
    const name = fc
      .string({ unit: fc.constantFrom(..."ab@~.-é "), minLength: 1, maxLength: 5 })
      .filter((part) => part.trim() !== "");
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.boolean(), (parts, isInside) => {
        const path = join(isInside ? CWD : "/", ...parts);
        expect(resolveToolPath(displayPath(path, CWD), CWD)).toBe(path.replace(/(.)\/$/, "$1"));
      }),
    );
  });

  test("is one line without control characters, whatever the name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is the point
        expect(displayPath(`${CWD}/x${name}`, CWD)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029]/);
      }),
    );
  });
});
