import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { numberedDiff } from "../../../src/tools/shared/numbered-diff.ts";

function overwrite(before: string, after: string) {
  return numberedDiff(before, [{ start: 0, end: before.length, text: after }]);
}

describe("numbered diff", () => {
  test("nothing differs", async () => {
    expect(await overwrite("a\nb\n", "a\nb\n")).toEqual({ diff: "", firstChangedLine: 0 });
  });

  test("unchanged lines in the middle of a change are context", async () => {
    const { diff } = await overwrite("a\nb\nc\nd\n", "A\nb\nc\nD\n");
    expect(diff).toBe("-1 a\n+1 A\n 2 b\n 3 c\n-4 d\n+4 D");
  });

  test("two changes in one line are one changed line", async () => {
    const { diff } = await numberedDiff("one two\n", [
      { start: 0, end: 3, text: "1" },
      { start: 4, end: 7, text: "2" },
    ]);
    expect(diff).toBe("-1 one two\n+1 1 2");
  });

  test("lines that are joined", async () => {
    expect(await numberedDiff("a\nb\nc\n", [{ start: 1, end: 2, text: "" }])).toEqual({
      diff: "-1 a\n-2 b\n+1 ab\n 2 c",
      firstChangedLine: 1,
    });
  });

  test("detects a final newline that is added or removed", async () => {
    expect((await overwrite("a", "a\n")).diff).toBe("-1 a\n\\ No newline at end of file\n+1 a");
    expect((await overwrite("a\n", "a")).diff).toBe("-1 a\n+1 a\n\\ No newline at end of file");
  });

  test("a new text and an emptied one", async () => {
    expect((await overwrite("", "a\nb\n")).diff).toBe("+1 a\n+2 b");
    expect((await overwrite("a\nb\n", "")).diff).toBe("-1 a\n-2 b");
  });

  test("is bounded in length and in time, and says that it is", async () => {
    const before = Array.from({ length: 30_000 }, (_, index) => `old ${index}\n`).join("");
    const after = Array.from({ length: 30_000 }, (_, index) => `new ${index}\n`).join("");
    const { diff } = await overwrite(before, after);
    expect(diff.length).toBeLessThan(51_000);
    expect(diff).toMatch(/\[\d+ more lines of the diff\]$/);
    expect((await overwrite("a", `${"x".repeat(1_000_000)}\n`)).diff.length).toBeLessThan(1_100);
  });

  test("shows no control characters", async () => {
    expect((await overwrite("a\n", "\u001b[31mred\r\n")).diff).toBe("-1 a\n+1 [31mred");
  });

  test("its lines rebuild the new text from the old one", async () => {
    const line = fc.constantFrom("a", "b", "c", "");
    const lines = fc.array(line, { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(lines, lines, async (before, after) => {
        const { diff, firstChangedLine } = await overwrite(terminated(before), terminated(after));
        expect(rebuild(before, after.length, diff)).toEqual(after);
        const first = Array.from({ length: 31 }, (_, index) => index).find((index) => before[index] !== after[index]);
        expect(firstChangedLine).toBe(first === undefined ? 0 : first + 1);
      }),
      { numRuns: 300 },
    );
  });
});

function terminated(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** Removes lines by their old numbers, then inserts the added ones by their new numbers. */
function rebuild(before: readonly string[], length: number, diff: string): string[] {
  const shown = [...diff.matchAll(/^([-+])(\d+) (.*)$/gm)].map(([, sign, number, text]) => ({
    sign,
    index: Number(number) - 1,
    text,
  }));
  const removed = new Set(shown.filter(({ sign }) => sign === "-").map(({ index }) => index));
  const added = new Map(shown.filter(({ sign }) => sign === "+").map(({ index, text }) => [index, text]));
  const kept = before.filter((_, index) => !removed.has(index)).values();
  return Array.from({ length }, (_, index) => added.get(index) ?? kept.next().value ?? "missing");
}
