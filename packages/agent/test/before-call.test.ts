import { describe, expect, test } from "bun:test";
import { scenario } from "./support/scenario.ts";
import { makeTool, ok } from "./support/tools.ts";

const echo = makeTool("echo", async () => ok("ran"));
const answers = [[{ call: "echo", args: { a: 1 } }], [{ text: "done" }]];

describe("the wait before a model call", () => {
  test("comes before each one, after the messages of the turn", async () => {
    const seen: number[] = [];
    const s = scenario({ answers, tools: [echo], beforeCall: () => void seen.push(s.events.length) });
    await s.prompt("go");
    expect(seen).toHaveLength(2);
    expect(s.events[(seen[0] ?? 0) - 1]).toMatchObject({ type: "message_end", message: { role: "user" } });
    expect(s.requests).toHaveLength(2);
  });

  test("may end the run: no call starts, and the end states the reason", async () => {
    let count = 0;
    const s = scenario({
      answers,
      tools: [echo],
      beforeCall: async () => {
        count += 1;
        if (count === 2) void s.agent.abort("budget");
      },
    });
    await s.prompt("go");
    expect(s.requests).toHaveLength(1);
    expect(s.ofType("agent_end")).toMatchObject([{ stopReason: "aborted", endedBy: "budget" }]);
    s.words(); // valid in the grammar
  });

  test("does not delay a user's abort, which has no such reason", async () => {
    const asked = Promise.withResolvers<void>();
    const s = scenario({
      answers,
      beforeCall: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const run = s.prompt("go");
    await asked.promise;
    await s.agent.abort();
    await run;
    expect(s.requests).toHaveLength(0);
    const [end] = s.ofType("agent_end");
    expect([end?.stopReason, end?.endedBy]).toEqual(["aborted", undefined]);
  });

  test("fails the call if it throws", async () => {
    const s = scenario({ answers, beforeCall: () => Promise.reject(new Error("no price")) });
    await s.prompt("go");
    expect(s.requests).toHaveLength(0);
    expect(s.ofType("turn_end")).toMatchObject([{ message: { stopReason: "error", errorMessage: "no price" } }]);
  });
});
