import { expect, test } from "bun:test";
import { planForcedPruning, planPruning, withPruning } from "../../../src/compaction/plan/prune-plan.ts";
import { answer, items, long, result, user } from "../../support/compaction/messages.ts";

const output = (tokens: number, toolName = "bash") => result("a", long(tokens), { toolName });
const plan = (...messages: Parameters<typeof items>) => {
  const pruning = planPruning(items(...messages));
  return pruning && { ids: [...pruning.ids].sort(), saved: pruning.saved };
};

test("the newest 40000 tokens of tool output stay", () => {
  expect(plan(output(30_000), output(20_000), output(20_000))).toEqual({ ids: ["e0"], saved: 30_000 - 9 });
});

test("a result that reaches into the newest 40000 stays", () => {
  expect(plan(output(30_000), output(39_999))).toBeUndefined();
  expect(plan(output(30_000), output(1), output(39_999))?.ids).toEqual(["e0"]);
});

test("less than 20000 tokens is not worth it", () => {
  expect(plan(output(20_008), output(40_000))).toBeUndefined();
  expect(plan(output(20_009), output(40_000))?.saved).toBe(20_000);
});

test("small results stay", () => {
  expect(plan(output(49), output(50), output(30_000), output(40_000))?.ids).toEqual(["e1", "e2"]);
});

test("results that were read on purpose stay, but count as output", () => {
  expect(plan(output(30_000, "read"), output(30_000, "skill"), output(30_000), output(40_000, "read"))?.ids).toEqual([
    "e2",
  ]);
});

test("what is pruned is not pruned again", () => {
  const pruned = result("a", long(30_000), { prunedAt: 5 });
  expect(plan(pruned, output(30_000), output(40_000))?.ids).toEqual(["e1"]);
});

test("other messages are neither pruned nor counted", () => {
  expect(plan(user(long(90_000)), output(30_000), answer(long(90_000)), output(40_000))?.ids).toEqual(["e1"]);
});

test("if necessary, the largest results are pruned first, whatever they are", () => {
  const all = items(output(100), output(3_000, "read"), output(2_000), user(long(9_000)));
  expect([...(planForcedPruning(all, 2_500)?.ids ?? [])]).toEqual(["e1"]);
  expect([...(planForcedPruning(all, 3_500)?.ids ?? [])]).toEqual(["e1", "e2"]);
  expect(planForcedPruning(all, 6_000)).toBeUndefined();
});

test("a pruned result has the size of its notice", () => {
  const all = items(output(1_000), output(2_000));
  expect(withPruning(all, { ids: new Set(["e1"]) }).map(({ tokens }) => tokens)).toEqual([1_000, 8]);
});
