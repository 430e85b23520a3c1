import { describe, expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import fc from "fast-check";
import { propertyRuns } from "../../../../agent/test/support/property-runs.ts";
import { CutFinder } from "../../../src/compaction/plan/cut-point.ts";
import { answer, bash, custom, developer, items, long, result, user } from "../../support/compaction/messages.ts";

/** `history | beginning of the turn | kept`, by position. */
function cut(messages: readonly AgentMessage[], keep: number): string | undefined {
  const found = new CutFinder(items(...messages)).cut(keep);
  if (!found) return undefined;
  const names = (part: readonly { entryId: string }[]) => part.map(({ entryId }) => entryId.slice(1)).join("");
  return `${names(found.history)}|${names(found.turnPrefix)}|${names(found.kept)}`;
}

const hundred = long(100);

describe("where a conversation is cut", () => {
  const turns = [user(hundred), answer(hundred), user(hundred), answer(hundred)];

  test.each<[number, string | undefined]>([
    [200, "01||23"],
    [150, "01||23"],
    [201, "|0|123"],
    [100, "01|2|3"],
    [400, undefined],
    [401, undefined],
    [0, "0123||"],
  ])("two turns, %d tokens to keep", (keep, expected) => {
    expect(cut(turns, keep)).toBe(expected);
  });

  const withTool = [user(hundred), answer(hundred, { calls: ["a", "b"] }), result("a", hundred), result("b", hundred)];

  test("never at a result: the next place after it", () => {
    expect(cut([...withTool, answer(hundred), user(hundred)], 350)).toBe("|0123|45");
  });

  test("never at a result: the place before it when there is none after it", () => {
    expect(cut(withTool, 50)).toBe("|0|123");
  });

  test("never between a call and its result, even with something between them", () => {
    const [question, calls, first, second] = withTool as [AgentMessage, AgentMessage, AgentMessage, AgentMessage];
    const wedged = [question, calls, first, user(hundred), second, answer(hundred)];
    expect(cut(wedged, 250)).toBe("012|34|5");
    expect(cut([question, calls, first, user(hundred), second], 150)).toBe("|0|1234");
  });

  test("an id that is used again belongs to the newest message that has it", () => {
    const again = [...withTool, answer(hundred, { calls: ["a"] }), result("a", hundred)];
    expect(cut(again, 150)).toBe("|0123|45");
  });

  test.each<[string, AgentMessage]>([
    ["a prompt", user(hundred)],
    ["a command of the user", bash(hundred)],
    ["a note of an extension", custom(hundred)],
    ["the summary of a branch", { role: "branchSummary", summary: hundred, fromId: "x", timestamp: 1 }],
  ])("%s begins a turn", (_name, message) => {
    expect(cut([user(hundred), answer(hundred), message, answer(hundred)], 150)).toBe("01||23");
  });

  test.each<[string, AgentMessage]>([
    ["an answer", answer(hundred)],
    ["a note of the agent itself", developer(hundred)],
    ["named files", { role: "fileMention", files: [{ path: "a", content: hundred }], timestamp: 1 }],
  ])("%s splits the turn", (_name, message) => {
    expect(cut([user(hundred), answer(hundred), message, answer(hundred)], 150)).toBe("|01|23");
  });

  test("the rest of a turn whose beginning is gone is history", () => {
    expect(cut([answer(hundred), answer(hundred), answer(hundred)], 150)).toBe("0||12");
  });

  test("an empty conversation", () => {
    expect(cut([], 100)).toBeUndefined();
    expect(cut([], 0)).toBeUndefined();
  });
});

describe("any conversation, any size", () => {
  const size = fc.nat(60);
  const piece = fc.oneof(
    size.map((tokens) => () => [user(long(tokens))]),
    size.map((tokens) => () => [answer(long(tokens))]),
    size.map((tokens) => () => [developer(long(tokens))]),
    fc
      .tuple(fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 }), fc.boolean(), size)
      .map(([calls, isWedged, tokens]) => () => [
        answer("", { calls }),
        ...calls.flatMap((id) => [...(isWedged ? [bash("x")] : []), result(id, long(tokens))]),
      ]),
  );

  test("the order is kept, nothing is lost, no call is separated from its result", () => {
    fc.assert(
      fc.property(fc.array(piece), fc.nat(500), (pieces, keep) => {
        const all = items(...pieces.flatMap((make) => make()));
        const found = new CutFinder(all).cut(keep);
        if (!found) return;
        const { history, turnPrefix, kept } = found;
        expect([...history, ...turnPrefix, ...kept]).toEqual(all);
        expect(history.length + turnPrefix.length).toBeGreaterThan(0);
        expect(parted([...history, ...turnPrefix], kept)).toEqual([]);
        if (turnPrefix.length > 0) expect(["user", "bashExecution"]).toContain(turnPrefix[0]?.message.role as string);
        const inner = turnPrefix.slice(1).map(({ message }) => message.role);
        expect(inner).not.toContain("user");
      }),
      propertyRuns({ numRuns: 500, seed: 2 }),
    );
  });

  /** Returns results on the kept side whose call is on the other side. */
  function parted(before: ReturnType<typeof items>, kept: ReturnType<typeof items>): string[] {
    const open = new Set<string>();
    for (const { message } of before) {
      if (message.role === "assistant") {
        for (const block of message.content) if (block.type === "toolCall") open.add(block.id);
      } else if (message.role === "toolResult") open.delete(message.toolCallId);
    }
    const faults: string[] = [];
    for (const { message } of kept) {
      if (message.role === "assistant") {
        for (const block of message.content) if (block.type === "toolCall") open.delete(block.id);
      } else if (message.role === "toolResult" && open.has(message.toolCallId)) faults.push(message.toolCallId);
    }
    return faults;
  }
});
