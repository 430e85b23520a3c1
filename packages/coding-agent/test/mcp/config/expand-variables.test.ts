import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ExpansionError, expandVariables } from "../../../src/mcp/config/expand-fields.ts";
import { variable } from "../../support/mcp/servers-of.ts";

const env = { SET: "value", EMPTY: "", NESTED: variable("SET") };

describe("variables in values", () => {
  test.each<[string, string]>([
    [variable("SET"), "value"],
    [`a${variable("SET")}b${variable("SET")}c`, "avaluebvaluec"],
    [variable("SET", "other"), "value"],
    [variable("NONE", "other"), "other"],
    [variable("EMPTY", "other"), "other"],
    [variable("NONE", ""), ""],
    [variable("EMPTY"), ""],
    [variable("NESTED"), variable("SET")],
    [variable("NONE", "a:-b$c"), "a:-b$c"],
    ["$SET $" + "{1} $" + "{} $" + "{SET", "$SET $" + "{1} $" + "{} $" + "{SET"],
  ])("%j becomes %j", (written, expected) => {
    expect(expandVariables(written, env)).toBe(expected);
  });

  test("reports an unset variable without a default by name, and treats inherited property names as unset", () => {
    for (const name of ["NONE", "constructor", "__proto__"]) {
      expect(() => expandVariables(`x ${variable(name)}`, env)).toThrow(
        new ExpansionError(`names the variable ${name}, which is not set`),
      );
    }
  });

  test("rejects a string that would grow without limit", () => {
    const bomb = variable("BIG").repeat(10_000);
    expect(() => expandVariables(bomb, { BIG: "x".repeat(100_000) })).toThrow("is longer than 128 KiB");
  });

  test("leaves strings without a reference unchanged, and replaces exactly the reference in others", () => {
    const plain = fc.string().filter((text) => !text.includes("$"));
    fc.assert(
      fc.property(plain, plain, plain, (before, value, after) => {
        expect(expandVariables(before + after, {})).toBe(before + after);
        expect(expandVariables(before + variable("V") + after, { V: value })).toBe(before + value + after);
      }),
    );
  });
});
