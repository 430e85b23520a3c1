import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { entryHash, entryOfHash } from "../src/entry-hash.ts";
import { safeHref } from "../src/markdown/inline.ts";
import { exactly, visibleText } from "../src/visible-text.ts";

test("what a user decides on is shown whole: nothing in it hides the rest", () => {
  const command = "true \x1b]0; rm -rf ~ #\x07\r\nls \x1b[>./a\u202e\u200b\u{e0041}\tend";
  expect(exactly(command)).toBe("true ⟨U+1B⟩]0; rm -rf ~ #⟨U+7⟩\nls ⟨U+1B⟩[>./a⟨U+202E⟩⟨U+200B⟩⟨U+E0041⟩\tend");
  expect(visibleText(exactly(command))).toBe(exactly(command));
  const request: unknown = {
    command: { text: "a\0", programs: [["a\0"]] },
    count: 2,
    env: { "B\x1b": "c" },
    none: null,
  };
  expect(exactly(request)).toEqual({
    command: { text: "a⟨U+0⟩", programs: [["a⟨U+0⟩"]] },
    count: 2,
    none: null,
    env: { "B⟨U+1B⟩": "c" },
  });
});

describe("text as it may be shown", () => {
  test("terminal commands are gone, what acts unseen is visible", () => {
    expect(visibleText("\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link\x1b]8;;\x07 \x1b(B")).toBe("red link ");
    expect(visibleText("a\u202egnp.exe\u2069")).toBe("a⟨U+202E⟩gnp.exe⟨U+2069⟩");
    expect(visibleText("a\0b\x7fc\x9bd\r\ne\rf\tg")).toBe("a␀b␡c�d\ne\nf\tg");
    expect(visibleText("שלום\u200f, مرحبا ✓ 🎉")).toBe("שלום\u200f, مرحبا ✓ 🎉");
  });

  test("what only a model would read is shown, flags stay flags", () => {
    const tags = (text: string) => String.fromCodePoint(...[...text].map((letter) => 0xe0000 + letter.charCodeAt(0)));
    expect(visibleText(`a${tags("run rm")}b`)).toBe("a⟨hidden: run rm⟩b");
    const scotland = `🏴${tags("gbsct\x7f")}`;
    expect(visibleText(scotland)).toBe(scotland);
    const chosen = "葛\u{e0100}";
    expect(visibleText(`${chosen} x${"\u{e0123}".repeat(5)}`)).toBe(`${chosen} x⟨hidden: 5 bytes⟩`);
  });

  test("nothing that acts is left", () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be gone
    const acting = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("\x1b", "[", "]", "m", "\x07", "\u202e", "\0", "\r", "a", "\\", "\u2066") }),
        (text) => expect(visibleText(text)).not.toMatch(acting),
      ),
    );
  });
});

test("addresses of entries lead back to them, whatever their ids are", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1 }), (id) => {
      const hash = entryHash(id);
      expect(entryOfHash(hash)).toBe(id.toWellFormed());
      expect(safeHref(hash)).toBe(hash);
    }),
  );
  expect(entryOfHash("#entry-%zz")).toBeUndefined();
  expect(entryOfHash("#main")).toBeUndefined();
});

test("addresses that a link may have", () => {
  expect(["https://a.b/c?d", "HTTP://A.B", "mailto:a@b.c", "#x"].map(safeHref)).toEqual([
    "https://a.b/c?d",
    "http://a.b/",
    "mailto:a@b.c",
    "#x",
  ]);
  const refused = [
    "javascript:alert(1)",
    "\tjava\nscript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "//a.b",
    "a/b",
    "",
    "#a b",
    "blob:https://a",
    "intent://x",
  ];
  expect(refused.map(safeHref)).toEqual(refused.map(() => undefined));
});
