import { describe, expect, test } from "bun:test";
import { errorText } from "../../src/foundation/error-text.ts";

describe("errorText", () => {
  test("returns an error's message; anything else as JavaScript prints it", () => {
    const thrown = [new Error("no such file"), new TypeError(""), "a text", 42, undefined, null, Symbol("s")];
    expect(thrown.map(errorText)).toEqual(["no such file", "", "a text", "42", "undefined", "null", "Symbol(s)"]);
  });

  test("an object that cannot be converted does not throw a second time", () => {
    expect(errorText(Object.create(null))).toBe("an error that cannot be shown was thrown");
    const refuses = {
      toString() {
        throw new Error("no");
      },
    };
    expect(errorText(refuses)).toBe("an error that cannot be shown was thrown");
  });
});
