import { describe, expect, test } from "bun:test";
import { duration, money, shortNumber } from "../../src/format.ts";
import { compressTimes, groupTurns, measure, type TimedCall } from "../../src/overview/figures.ts";
import type { Row } from "../../src/page-data.ts";

function row(more: Partial<Row>): Row {
  return { id: "i", parent: -1, kind: "user", title: "", at: 0, size: 0, ...more };
}

describe("figures", () => {
  const rows = [
    row({ at: 1000 }),
    row({ kind: "assistant", at: 3000, ms: 2000, model: "m", usage: [1, 2, 3, 4, 0.5] }),
    row({ kind: "tool", tool: "bash", at: 8000, ms: 5000, state: "error" }),
    row({ kind: "compaction", at: 9000, usage: [10, 0, 0, 0, 1] }),
    row({ kind: "assistant", at: 11_000, state: "aborted" }),
    row({ kind: "assistant", at: 99_000, usage: [100, 0, 0, 0, 9] }),
  ];

  test("of a path: everything that was paid for, and where the time went", () => {
    expect(measure(rows, [0, 1, 2, 3, 4])).toEqual({
      usage: [11, 2, 3, 4, 1.5],
      turns: [
        { row: 1, usage: [1, 2, 3, 4, 0.5] },
        { row: 4, usage: [0, 0, 0, 0, 0] },
      ],
      calls: [{ row: 2, tool: "bash", start: 3000, ms: 5000, isError: true }],
      models: [{ name: "m", turns: 1 }],
      tools: [{ name: "bash", count: 1, ms: 5000 }],
      counts: { user: 1, assistant: 2, tool: 1, shell: 0, compaction: 1, failed: 1 },
      elapsedMs: 10_000,
      modelMs: 2000,
      toolMs: 5000,
    });
  });

  test("many turns share columns, and none is lost", () => {
    const turns = Array.from({ length: 1001 }, (_, at) => ({ row: at, usage: [1, 0, 0, 0, 0] as const }));
    const groups = groupTurns(turns, 120);
    expect(groups.length).toBeLessThanOrEqual(120);
    expect(groups.flatMap(({ turns: members }) => members)).toEqual(turns);
    expect(groups.reduce((sum, { usage }) => sum + usage[0], 0)).toBe(1001);
  });

  test("pauses are shortened, calls are not", () => {
    const call = (start: number, ms: number): TimedCall => ({ row: 0, tool: "t", start, ms, isError: false });
    const calls = [call(1_000_000, 10), call(100, 50), call(160, 5)];
    expect(compressTimes(calls, 100)).toEqual({ starts: [165, 0, 60], total: 175 });
    expect(compressTimes([], 100)).toEqual({ starts: [], total: 0 });
  });
});

test("numbers for people", () => {
  expect([0, 999, 1000, 1234, 12_345, 999_499, 999_500, 1e9].map(shortNumber)).toEqual([
    "0",
    "999",
    "1k",
    "1.2k",
    "12k",
    "999k",
    "1M",
    "1G",
  ]);
  expect([0, 0.00001, 0.0042, 0.123, 12].map(money)).toEqual(["$0", "< $0.0001", "$0.0042", "$0.123", "$12.00"]);
  expect([5, 1500, 61_000, 3_700_000, 200_000_000].map(duration)).toEqual([
    "5 ms",
    "1.5 s",
    "1 min 1 s",
    "1 h 1 min",
    "2 days 7 h",
  ]);
});
