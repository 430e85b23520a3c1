import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyName, normalKey, typedText } from "../../src/keys/key-name.ts";

describe("key names", () => {
  test.each([
    ["\r", "enter"],
    ["\n", "ctrl+j"],
    ["\t", "tab"],
    ["\u001b", "escape"],
    ["\u007f", "backspace"],
    ["\u0001", "ctrl+a"],
    ["\u001f", "ctrl+-"],
    ["\u001d", "ctrl+]"],
    ["\u0000", "ctrl+space"],
    [" ", "space"],
    ["a", "a"],
    ["A", "shift+a"],
    ["?", "?"],
    ["ж", "ж"],
    ["日", "日"],
    ["🙂", "🙂"],
    ["\u001b\r", "alt+enter"],
    ["\u001bb", "alt+b"],
    ["\u001b\u007f", "alt+backspace"],
    ["\u001b\u001d", "alt+ctrl+]"],
    ["\u001b[A", "up"],
    ["\u001bOB", "down"],
    ["\u001b[Z", "shift+tab"],
    ["\u001b[3~", "delete"],
    ["\u001b[5~", "pageup"],
    ["\u001b[1;5C", "ctrl+right"],
    ["\u001b[1;3D", "alt+left"],
    ["\u001b[1;6A", "ctrl+shift+up"],
    ["\u001b[H", "home"],
    ["\u001bOP", "f1"],
    ["\u001b[24~", "f12"],
    ["\u001b[[A", "f1"],
    ["\u001b[a", "shift+up"],
    ["\u001bOd", "ctrl+left"],
    ["\u001b[3^", "ctrl+delete"],
    // kitty
    ["\u001b[13;2u", "shift+enter"],
    ["\u001b[27u", "escape"],
    ["\u001b[97;5u", "ctrl+a"],
    ["\u001b[97;6u", "ctrl+shift+a"],
    ["\u001b[97;69u", "ctrl+a"], // with caps lock
    ["\u001b[1089::99;5u", "ctrl+c"], // a Cyrillic keyboard
    ["\u001b[57414u", "enter"], // of the keypad
    ["\u001b[57419;5u", "ctrl+up"],
    ["\u001b[47:63;2u", "?"],
    ["\u001b[1;1:2A", "up"], // repeated
    // xterm with modifyOtherKeys
    ["\u001b[27;2;13~", "shift+enter"],
    ["\u001b[27;5;97~", "ctrl+a"],
  ])("%j is %s", (sequence, name) => {
    expect(keyName(sequence)).toBe(name);
    expect(normalKey(name)).toBe(name);
  });

  test.each(["\u001b[97;5:3u", "\u001b[1;1:3A", "\u001b[57441u", "\u001b[?62;4c", "\u001b[I", "", "ab"])(
    "%j is no key press",
    (sequence) => {
      expect(keyName(sequence)).toBeUndefined();
      expect(typedText(sequence)).toBeUndefined();
    },
  );

  test("names in settings may have aliases, any order of modifiers and capitals", () => {
    expect(["Shift+Ctrl+A", "esc", "Return", "pageUp", "ctrl++", "alt+ctrl+]"].map(normalKey)).toEqual([
      "ctrl+shift+a",
      "escape",
      "enter",
      "pageup",
      "ctrl++",
      "alt+ctrl+]",
    ]);
  });

  test("a character types itself in every protocol, and nothing with ctrl or alt", () => {
    const character = fc.constantFrom("a", "Z", "?", "é", "ж", "日", " ", "7");
    fc.assert(
      fc.property(character, (typed) => {
        const code = typed.codePointAt(0)!;
        const isUpper = typed !== typed.toLowerCase();
        const key = isUpper ? `${typed.toLowerCase().codePointAt(0)}:${code};2` : `${code}`;
        expect(typedText(typed)).toBe(typed);
        expect(typedText(`\u001b[${key}u`)).toBe(typed);
        expect(keyName(`\u001b[${key}u`)).toBe(keyName(typed)!);
        expect(typedText(`\u001b[${code};5u`)).toBeUndefined();
        expect(typedText(`\u001b[27;3;${code}~`)).toBeUndefined();
      }),
    );
  });
});
