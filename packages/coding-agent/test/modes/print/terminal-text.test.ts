import { expect, test } from "bun:test";
import { cutToWidth, terminalText } from "../../../src/modes/print/terminal-text.ts";

test("an answer keeps its lines, tabs and letters, and loses what acts on a terminal", () => {
  expect(terminalText("a\r\n\tb 👩‍👩‍👧 é\u001b[31m\u0007\u009b2J\u202e\u2066x")).toBe("a\n\tb 👩‍👩‍👧 é?[31m??2J??x");
});

test("a line is cut to columns, not to characters", () => {
  expect(cutToWidth("日本語日本語", 12)).toBe("日本語日本語");
  expect(cutToWidth("日本語日本語", 8)).toBe("日本語…");
  expect(cutToWidth("a👩‍👩‍👧b", 3)).toBe("a…");
});
