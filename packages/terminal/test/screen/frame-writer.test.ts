import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { FrameWriter } from "../../src/screen/frame-writer.ts";
import { VirtualScreen } from "../support/virtual-screen.ts";

const SHELL = "$ pintle";
const line = fc.constantFrom("a", "b", "two words", "日本語", "🙂 ok", "x".repeat(20), "\u001b[31mred\u001b[39m");
const frame = fc.record({
  finished: fc.array(line, { maxLength: 12 }),
  live: fc.array(line, { minLength: 1, maxLength: 6 }),
});
const plain = (text: string) => text.replaceAll("\u001b[31m", "").replaceAll("\u001b[39m", "");

describe("frames", () => {
  test("after any sequence of frames, the terminal shows all final lines once and in order, then the live lines", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 12 }), async (frames) => {
        const screen = new VirtualScreen(20, 6);
        await screen.write(`${SHELL}\r\n`);
        const writer = new FrameWriter();
        const expected = [SHELL];
        for (const { finished, live } of frames) {
          await screen.write(writer.write({ finished, live }, 20, 6));
          expected.push(...finished);
          expect(screen.lines()).toEqual([...expected, ...live].map(plain));
        }
      }),
    );
  });

  test("replaces final lines that are still on the screen and leaves others alone", async () => {
    const change = fc.record({ rows: fc.integer({ min: 1, max: 8 }), by: fc.array(line, { maxLength: 9 }) });
    const step = fc.record({
      finished: fc.array(line, { maxLength: 4 }),
      live: fc.array(line, { minLength: 1, maxLength: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(step, change), { minLength: 1, maxLength: 8 }), async (steps) => {
        const screen = new VirtualScreen(20, 6);
        await screen.write(`${SHELL}\r\n`);
        const writer = new FrameWriter();
        const expected: string[] = [];
        for (const [{ finished, live }, { rows, by }] of steps) {
          await screen.write(writer.write({ finished, live }, 20, 6));
          expected.push(...finished);
          if (writer.reclaim(rows)) {
            expected.splice(expected.length - rows, rows, ...by);
            await screen.write(writer.write({ finished: by, live }, 20, 6));
          }
          expect(screen.lines()).toEqual([SHELL, ...expected, ...live].map(plain));
        }
      }),
    );
  });

  test("tracks which lines are still on the screen", async () => {
    const writer = new FrameWriter();
    writer.write({ finished: ["a", "b", "c"], live: ["editor", "status"] }, 20, 6);
    expect(writer.reclaim(4)).toBe(false);
    writer.write({ finished: ["d", "e"], live: ["editor", "status"] }, 20, 6);
    expect(writer.reclaim(5)).toBe(false); // the first has scrolled away
    expect(writer.reclaim(4)).toBe(true);
  });

  test("writes nothing that has not changed", async () => {
    const writer = new FrameWriter();
    writer.write({ finished: [], live: ["one", "two", "three"] }, 20, 6);
    const bytes = writer.write({ finished: [], live: ["one", "2", "three"] }, 20, 6);
    expect(bytes).toContain("2");
    expect(bytes).not.toContain("one");
    expect(bytes).not.toContain("three");
    expect(writer.write({ finished: [], live: ["one", "2", "three"] }, 20, 6)).toBe("");
  });

  test("the cursor is where the frame says", async () => {
    const screen = new VirtualScreen(20, 6);
    const writer = new FrameWriter();
    await screen.write(
      writer.write({ finished: ["a"], live: ["top", "edit", "status"], cursor: { row: 1, col: 3 } }, 20, 6),
    );
    expect(screen.cursor()).toEqual({ row: 2, col: 3 });
  });

  test("after a resize the live lines appear once, and nothing above them is lost", async () => {
    const size = fc.record({ columns: fc.integer({ min: 20, max: 60 }), rows: fc.integer({ min: 24, max: 26 }) });
    const sizes = fc.array(size, { minLength: 1, maxLength: 2 });
    const layout = fc.record({
      // A screen with room, and one that has scrolled.
      said: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 30, max: 40 })),
      typed: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 4 }),
      status: fc.integer({ min: 1, max: 20 }),
      cursorLine: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(sizes, layout, async (windows, { said: count, typed, status, cursorLine }) => {
        const screen = new VirtualScreen(60, 24);
        const writer = new FrameWriter("xterm.js");
        const said = Array.from({ length: count }, (_, index) => `said ${index}`);
        const line = cursorLine % typed.length;
        const frame = (finished: string[], width: number) => {
          const text = typed.map((length, index) => `${index}${"t".repeat(Math.min(length, width - 1))}`);
          const border = "─".repeat(width);
          const cursor = { row: line + 1, col: Math.min(typed[line]!, width - 1) };
          return { finished, live: [border, ...text, border, "s".repeat(status)], cursor };
        };
        await screen.write(writer.write(frame(said, 60), 60, 24));
        for (const { columns, rows } of windows) {
          screen.resize(columns, rows);
          const next = frame([], columns);
          await screen.write(writer.write(next, columns, rows));
          expect(screen.lines()).toEqual([...said, ...next.live]);
        }
      }),
    );
  });

  test("erasing the live lines leaves no trace, and later output starts in their place", async () => {
    const screen = new VirtualScreen(20, 6);
    const writer = new FrameWriter();
    await screen.write(
      writer.write({ finished: ["a", "b"], live: ["editor", "status"], cursor: { row: 0, col: 2 } }, 20, 6),
    );
    await screen.write(`${writer.erase(20, 6)}$`);
    expect(screen.lines()).toEqual(["a", "b", "$"]);
  });
});
