import { expect, test } from "bun:test";
import { ToolChoiceQueue } from "../src/tool-choice.ts";

const isActive = () => true;

test("directives are used up in order, one choice per call", () => {
  const queue = new ToolChoiceQueue();
  queue.push({ label: "a", choices: ["required", "none"] });
  queue.push({ label: "b", choices: [{ name: "read" }] });
  const taken = Array.from({ length: 4 }, () => {
    const choice = queue.take(isActive);
    const { label } = queue;
    queue.settle("resolved");
    return [choice, label, queue.label];
  });
  expect(taken).toEqual([
    ["required", "a", undefined],
    ["none", "a", undefined],
    [{ name: "read" }, "b", undefined],
    [undefined, undefined, undefined],
  ]);
});

test("a directive without choices has no effect", () => {
  const queue = new ToolChoiceQueue();
  queue.push({ label: "a", choices: [] });
  expect(queue.take(isActive)).toBeUndefined();
});

test("a choice that is put back precedes later directives, and its sequence continues", () => {
  const queue = new ToolChoiceQueue();
  queue.push({ label: "a", choices: ["required", "none"], onRejected: () => true });
  expect(queue.take(isActive)).toBe("required");
  queue.push({ label: "b", choices: ["auto"] });
  queue.settle("rejected");
  expect([queue.take(isActive), queue.take(isActive), queue.take(isActive)]).toEqual(["required", "none", "auto"]);
});

test("the last choice of a directive can be put back as well", () => {
  const queue = new ToolChoiceQueue();
  queue.push({ label: "a", choices: ["required"], onRejected: () => true });
  queue.take(isActive);
  queue.push({ label: "b", choices: ["auto"] });
  queue.settle("rejected");
  expect(queue.take(isActive)).toBe("required");
});

test("settling twice, or with nothing in flight, has no effect", () => {
  const log: string[] = [];
  const queue = new ToolChoiceQueue();
  queue.settle("rejected");
  queue.push({ label: "a", choices: ["required"], onResolved: () => log.push("resolved") });
  queue.take(isActive);
  queue.settle("resolved");
  queue.settle("rejected");
  expect(log).toEqual(["resolved"]);
});

test("a standing choice of an inactive tool has no label either", () => {
  const queue = new ToolChoiceQueue();
  queue.setStanding(() => ({ label: "resolve", choice: { name: "resolve" } }));
  expect([queue.take(() => false), queue.label]).toEqual([undefined, undefined]);
  expect([queue.take(isActive), queue.label]).toEqual([{ name: "resolve" }, "resolve"]);
});
