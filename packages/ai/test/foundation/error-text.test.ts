import { describe, expect, test } from "bun:test";
import { errorText } from "../../src/foundation/error-text.ts";

describe("the text of what was thrown", () => {
  test("an error's message; anything else as JavaScript writes it", () => {
    const thrown = [new Error("no such file"), new TypeError(""), "a text", 42, undefined, null, Symbol("s")];
    expect(thrown.map(errorText)).toEqual(["no such file", "", "a text", "42", "undefined", "null", "Symbol(s)"]);
  });

  test("an object that refuses to be a text does not throw a second time", () => {
    expect(errorText(Object.create(null))).toBe("something that cannot be shown was thrown");
    const refuses = {
      toString() {
        throw new Error("no");
      },
    };
    expect(errorText(refuses)).toBe("something that cannot be shown was thrown");
  });
});
