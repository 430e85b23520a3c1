import { expect, test } from "bun:test";
import { getEventListeners } from "node:events";
import { scenario } from "../support/scenario.ts";
import { makeTool, ok } from "../support/tools.ts";

test("a run of many turns leaves no listener and no timer behind", async () => {
  const listening: number[] = [];
  const busy = makeTool("busy", async (_, { signal, update }) => {
    signal.addEventListener("abort", () => {}); // tools forget to remove theirs
    update(ok("half"));
    return ok("done");
  });
  const s = scenario({
    answers: [...Array.from({ length: 200 }, (_, n) => [{ call: "busy", args: { n } }]), [{ text: "done" }]],
    tools: [busy],
    hooks: {
      context: async (messages) => messages,
      toolCall: async () => undefined,
      toolResult: async () => undefined,
      messageEnd: async () => undefined,
    },
    next: async () => undefined,
  });
  let signal: AbortSignal | undefined;
  s.listen(({ type }) => {
    signal ??= s.requests[0]?.options.signal;
    if (type === "turn_end" && signal) listening.push(getEventListeners(signal, "abort").length);
  });
  await s.prompt("go");
  expect(listening).toHaveLength(201);
  expect([...new Set(listening)]).toEqual([1]); // the run's own
  expect(getEventListeners(signal as AbortSignal, "abort")).toEqual([]);
  expect(s.clock.sleeperCount).toBe(0);
});

test("many aborted runs leave nothing behind", async () => {
  const s = scenario({ answers: Array.from({ length: 200 }, () => [{ wait: new Promise(() => {}) }]) });
  for (let n = 0; n < 200; n += 1) {
    const run = s.prompt("go");
    await s.agent.abort();
    await run;
  }
  const signals = s.requests.map(({ options }) => options.signal as AbortSignal);
  expect(signals.reduce((sum, signal) => sum + getEventListeners(signal, "abort").length, 0)).toBe(0);
  expect(s.clock.sleeperCount).toBe(0);
});

test("the recipient of agent_end owns its list", async () => {
  const s = scenario({ answers: [[{ text: "a" }]] });
  await s.prompt("go");
  const [end] = s.ofType("agent_end");
  (end?.messages as unknown[]).length = 0; // a listener's list is its own
  expect(s.agent.messages).toHaveLength(2);
});
