import { expect, test } from "bun:test";
import type { ScriptStep } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { nextEvent, show, startSession, violations } from "../../support/session/test-session.ts";

const down: ScriptStep = { fail: "server", status: 500, message: "down" };
const settings = {
  "retry.baseDelayMs": 0,
  "retry.maxRetries": 1,
  "retry.fallbackChains": { default: ["acme/large", "acme/small"] },
};
const flags = { model: "acme/large" };

const fallbacks = (events: readonly AgentSessionEvent[]) =>
  events.filter(({ type }) => type.startsWith("retry_fallback"));

test("when all attempts have failed the next model of the chain answers", async () => {
  const { session, events, requests } = await startSession([[down], [down], [{ text: "done" }], [{ text: "more" }]], {
    flags,
    settings,
  });
  await session.prompt("go");
  expect(requests).toHaveLength(3);
  expect(fallbacks(events)).toEqual([
    { type: "retry_fallback_applied", from: "acme/large", to: "acme/small", role: "default" },
    { type: "retry_fallback_succeeded", model: "acme/small", role: "default" },
  ]);
  expect(show(session.messages)).toEqual(["user: go", "assistant: done"]);
  expect(violations(events)).toEqual([]);
  // It is not the session's model: reopening the session uses the chosen one.
  expect([session.model.id, session.manager.buildContext().model]).toEqual([
    "small",
    { provider: "acme", modelId: "large" },
  ]);
  await session.prompt("next");
  expect(session.model.id).toBe("small"); // the first one is not used for a while
  await session.models.discoverAndSet("acme", "large");
  expect(session.model.id).toBe("large");
});

test("a usage limit switches to the next model at once; the end of the chain is final", async () => {
  const quota: ScriptStep = { fail: "quota", status: 429, message: "spent" };
  const { session, events, requests } = await startSession([[quota], [quota]], { flags, settings });
  await session.prompt("go");
  expect(requests).toHaveLength(2);
  expect(fallbacks(events)).toHaveLength(1);
  expect(show(session.messages)).toEqual(["user: go", "assistant(error): "]);
});

test("without a chain, and for what no other model could do better, there is none", async () => {
  const plain = await startSession([[down], [down]], { flags, settings: { ...settings, "retry.fallbackChains": {} } });
  await plain.session.prompt("go");
  expect(fallbacks(plain.events)).toEqual([]);
  const refused = await startSession([[{ fail: "refused", message: "no" }]], { flags, settings });
  await refused.session.prompt("go");
  expect(fallbacks(refused.events)).toEqual([]);
});

test("cancelling the wait also cancels the fallback", async () => {
  const { session, events } = await startSession([[down]], {
    flags,
    settings: { ...settings, "retry.baseDelayMs": 30_000 },
  });
  const waiting = nextEvent(session, "auto_retry_start");
  const over = session.prompt("go");
  await waiting;
  await session.lifecycle.abortRetry();
  await over;
  expect(fallbacks(events)).toEqual([]);
});
