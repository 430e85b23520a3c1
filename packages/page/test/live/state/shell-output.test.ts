import { expect, test } from "bun:test";
import { growOutput } from "../../../src/live/state/shell-output.ts";

const grown = (...deltas: string[]) => deltas.reduce(growOutput, "");

test("output is what a terminal would show, however it is cut", () => {
  expect(grown("one\n", "two")).toBe("one\ntwo");
  expect(grown("head\n10 %\r50 %", "\r100 %\n", "end")).toBe("head\n100 %\nend");
  expect(grown("a\r\nb\r", "\nc")).toBe("a\nb\nc");
  expect(grown("10 %\r", "\r", "20 %")).toBe("20 %");
  expect(grown("stays\r").trimEnd()).toBe("stays");
});

test("only the end of much output is kept", () => {
  const text = grown("x".repeat(50_000), "the end");
  expect(text.length).toBe(40_000);
  expect(text.endsWith("the end")).toBe(true);
});
