import { expect, test } from "bun:test";
import { slowerInAll, slowerThan } from "../../bench/side-by-side/check.ts";
import type { RowResult } from "../../bench/side-by-side/measure.ts";
import type { Row } from "../../bench/side-by-side/row.ts";

const row: Row = {
  name: "row",
  title: "Row",
  rounds: 1,
  metrics: {
    time: { title: "time", unit: "ms" },
    rate: { title: "rate", unit: "/s", isRate: true },
    lost: { title: "lost", unit: "" },
  },
  measure: () => Promise.reject(new Error("not measured")),
};

const result = (floor: number, time: number, rate: number, lost = 0): RowResult => ({
  row: "row",
  load: [0, 0],
  raw: {},
  cells: {
    time: { floor, "pintle full": time },
    rate: { floor: 1000 / floor, "pintle full": rate },
    lost: { floor: 1, "pintle full": lost },
  },
});

test("compares multiples of the floor, so a slower machine is no regression", () => {
  const recorded = [result(1, 2, 500)];
  expect(slowerThan(recorded, row, result(3, 6.5, 160, 9))).toEqual([]);
  expect(slowerThan(recorded, row, result(1, 2.4, 400))).toEqual([
    { name: "time (pintle full)", before: 2, now: 2.4 },
    { name: "rate (pintle full)", before: 0.5, now: 0.4 },
  ]);
  expect(slowerThan([], row, result(1, 9, 1))).toEqual([]);
});

test("names what got worse in every run, with the mildest figure", () => {
  const slower = (name: string, now: number) => ({ name, before: 2, now });
  expect(slowerInAll([[slower("a", 5), slower("b", 4)], [slower("a", 3)], [slower("a", 4), slower("b", 9)]])).toEqual([
    slower("a", 3),
  ]);
  expect(slowerInAll([[slower("a", 5)], []])).toEqual([]);
});
