import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedAnswer, ScriptStep } from "@pintle/ai/testing";
import { makeTool } from "../../../../agent/test/support/tools.ts";
import { freshPlace, startSession, violations } from "../../support/session/test-session.ts";

/** Fills the window of the test's model, and ends the run. */
const last = makeTool("last", async () => ({
  content: [{ type: "text", text: "line ".repeat(700) }],
  terminate: true,
}));
const echo = makeTool("echo", async () => ({ content: [{ type: "text", text: "ran" }] }));
const down: ScriptStep = { fail: "server", status: 500, message: "down" };
const settings = { "compaction.reserveTokens": 200, "compaction.keepRecentTokens": 20, "retry.baseDelayMs": 0 };

/** Requests without tools request a summary. */
const start = (answers: readonly ScriptStep[][], more: object = {}) => {
  const left = [...answers];
  const answer: ScriptedAnswer = ({ tools = [] }) =>
    tools.length === 0 ? [{ text: "SUMMARY" }] : (left.shift() ?? [{ text: "no more" }]);
  return startSession(
    Array.from({ length: 20 }, () => answer),
    { settings, noTools: "builtin", agentTools: [last, echo], ...more },
  );
};

test("what is counted while it happens is what the session holds: turns, attempts that failed, summaries", async () => {
  const { session, events } = await start([[{ call: "echo" }], [down], [{ call: "last" }]], {
    budget: { tokens: 1e9, scope: "session" },
  });
  await session.prompt("go");
  expect(events.some(({ type }) => type === "auto_compaction_end")).toBe(true);
  const { used: live } = session.budget.state ?? {};
  const { used: stored } = session.budget.set({ tokens: 1e9, scope: "session" }) ?? {};
  expect({ ...live, wallMs: 0 } as object).toEqual({ ...stored, wallMs: 0 } as object);
  const { lifetime } = session.getSessionStats();
  expect(live).toMatchObject({ turns: 3, toolCalls: 2, tokens: lifetime.tokens.total, costUsd: lifetime.cost });
  const answers = session.manager.path().flatMap((entry) => (entry.type === "compaction" ? [entry] : []));
  expect(answers).toMatchObject([{ details: { usage: { totalTokens: expect.any(Number) } } }]);
});

test("a summary is a model call: none is made beyond a limit", async () => {
  const { session, requests } = await start([[{ text: "word ".repeat(100) }]]);
  await session.prompt("go");
  session.budget.set({ turns: 1, scope: "session" });
  const before = requests.length;
  await expect(session.lifecycle.compact()).rejects.toThrow("The budget is used up: turns 1 of 1 (session)");
  expect(requests).toHaveLength(before);
});

describe("a program that embeds it", () => {
  test("is waited for, and may raise the budget", async () => {
    const { session, events } = await start([[{ call: "echo" }], [{ text: "done" }]], { budget: { turns: 1 } });
    session.attachHost({ raiseBudget: async () => void session.budget.raise({ turns: 2 }) });
    await session.prompt("go");
    expect(events.find(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "stop" });
    expect(violations(events)).toEqual([]);
  });

  test.each([
    ["raises it", { turns: 2 }],
    ["takes it away", {}],
  ])("%s in a listener of the event", async (_name, budget) => {
    const { session, events } = await start([[{ call: "echo" }], [{ text: "done" }]], {
      budget: { turns: 1, onReached: "stop" },
    });
    session.subscribe(({ type }) => {
      if (type === "budget_reached") session.budget.set(budget);
    });
    await session.prompt("go");
    expect(events.find(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "stop" });
  });
});

test("a fallback to a model without a price fails the call", async () => {
  const place = freshPlace();
  const file = join(place.home, "models.json");
  const { providers } = JSON.parse(readFileSync(file, "utf8"));
  providers.acme.models.push({ id: "unpriced" });
  writeFileSync(file, JSON.stringify({ providers }), { mode: 0o600 });
  const { session, requests } = await start([[down], [{ text: "never" }]], {
    place,
    flags: { model: "acme/large" },
    settings: { "retry.maxRetries": 0, "retry.fallbackChains": { default: ["acme/large", "acme/unpriced"] } },
    budget: { costUsd: 1e9 },
  });
  await session.prompt("go");
  expect(requests).toHaveLength(1);
  const answer = session.messages.at(-1);
  expect(answer).toMatchObject({ stopReason: "error", errorMessage: expect.stringMatching(/price of acme\/unpriced/) });
});
