import { describe, expect, test } from "bun:test";
import type { ProviderMessage } from "@pintle/ai";
import { repairPairs } from "../src/pair-repair.ts";
import { assistant, call, result, text, user } from "./support/messages.ts";

const missing = (id: string) =>
  result(id, "The tool run was interrupted and no result is recorded.", { isError: true });

describe("broken pairs", () => {
  const two = assistant([text("both"), call("a"), call("b")]);
  const rows: [what: string, before: ProviderMessage[], after: ProviderMessage[]][] = [
    [
      "whole pairs stay as they are",
      [user("go"), two, result("a"), result("b")],
      [user("go"), two, result("a"), result("b")],
    ],
    ["trap 15: a crash before any result", [two], [two, missing("a"), missing("b")]],
    [
      "trap 15: a crash before the last result",
      [two, result("a"), user("hi")],
      [two, result("a"), missing("b"), user("hi")],
    ],
    ["trap 24: results in order of completion", [two, result("b"), result("a")], [two, result("a"), result("b")]],
    [
      "trap 16: a message wedged between call and result",
      [two, user("x"), result("a"), result("b")],
      [two, result("a"), result("b"), user("x")],
    ],
    [
      "trap 16: messages wedged between results",
      [two, result("a"), user("x"), user("y"), result("b")],
      [two, result("a"), result("b"), user("x"), user("y")],
    ],
    [
      "a result that comes after another answer",
      [two, result("a"), assistant([text("z")]), result("b")],
      [two, result("a"), result("b"), assistant([text("z")])],
    ],
    ["a result without a call", [user("go"), result("z")], [user("go")]],
    ["a result before its call", [result("a"), assistant([call("a")])], [assistant([call("a")]), missing("a")]],
    [
      "two results for one call: the first wins",
      [assistant([call("a")]), result("a", "1"), result("a", "2")],
      [assistant([call("a")]), result("a", "1")],
    ],
    [
      "a second result much later",
      [assistant([call("a")]), result("a", "1"), user("x"), result("a", "2")],
      [assistant([call("a")]), result("a", "1"), user("x")],
    ],
    [
      "an id used again by a later message",
      [assistant([call("a")]), result("a", "1"), assistant([call("a")]), result("a", "2")],
      [assistant([call("a")]), result("a", "1"), assistant([call("a")]), result("a", "2")],
    ],
    [
      "an id used again, the first call without a result",
      [assistant([call("a")]), assistant([call("a")]), result("a", "2")],
      [assistant([call("a")]), missing("a"), assistant([call("a")]), result("a", "2")],
    ],
    [
      "an id used twice in one message",
      [assistant([call("a"), call("a")]), result("a", "1"), result("a", "2")],
      [assistant([call("a"), call("a")]), result("a", "1"), result("a", "2")],
    ],
    [
      "an id used twice in one message, one result",
      [assistant([call("a"), call("a")]), result("a", "1")],
      [assistant([call("a"), call("a")]), result("a", "1"), missing("a")],
    ],
    ["nothing", [], []],
  ];
  for (const [what, before, after] of rows) {
    test(what, () => {
      expect(repairPairs(before)).toEqual(after);
      expect(repairPairs(after)).toEqual(after);
    });
  }
});

test("the input is not modified and messages are passed on by identity", () => {
  const input: readonly ProviderMessage[] = Object.freeze([user("x"), assistant([call("a")]), user("y"), result("a")]);
  const output = repairPairs(input);
  expect(output.every((message) => input.includes(message))).toBe(true);
  expect(input.map(({ role }) => role)).toEqual(["user", "assistant", "user", "toolResult"]);
});
