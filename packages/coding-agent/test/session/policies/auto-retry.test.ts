import { describe, expect, test } from "bun:test";
import { isWorthRetrying, type ProviderFailure } from "@pintle/ai";
import type { ScriptedAnswer, ScriptStep } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { forever, nextEvent, show, startSession, storedTexts, violations } from "../../support/session/test-session.ts";

const overloaded: ScriptStep = { fail: "overloaded", status: 529, message: "busy" };
/** Too short to notice, but still a wait. */
const quick = { "retry.baseDelayMs": 1 };

function retryEvents(events: readonly AgentSessionEvent[]): object[] {
  return events.filter(({ type }) => type.startsWith("auto_retry"));
}

async function run(answers: readonly ScriptedAnswer[], settings: Record<string, unknown> = quick) {
  const started = await startSession(answers, { settings });
  await started.session.prompt("go");
  expect(violations(started.events)).toEqual([]);
  return started;
}

describe("which failures are worth another attempt", () => {
  test.each<[ProviderFailure, boolean]>([
    [{ kind: "rate_limit", status: 429 }, true],
    [{ kind: "overloaded", status: 503 }, true],
    [{ kind: "server", status: 500 }, true],
    [{ kind: "invalid_request", status: 409 }, true],
    [{ kind: "invalid_request", status: 425 }, true],
    [{ kind: "network" }, true],
    [{ kind: "stall" }, true],
    [{ kind: "truncated" }, true],
    [{ kind: "quota", status: 429 }, false],
    [{ kind: "quota", status: 429, retryAfterMs: 5000 }, true],
    [{ kind: "overflow", status: 400 }, false],
    [{ kind: "overflow", status: 500 }, false],
    [{ kind: "auth", status: 401 }, false],
    [{ kind: "invalid_request", status: 400 }, false],
    [{ kind: "not_found", status: 404 }, false],
    [{ kind: "too_large", status: 413 }, false],
    [{ kind: "refused" }, false],
    [{ kind: "aborted" }, false],
    [{ kind: "protocol", status: 200 }, false],
  ])("%j: %p", (failure, expected) => {
    expect(isWorthRetrying(failure)).toBe(expected);
  });
});

test("a temporary failure stays within one run, is reported in order, and leaves the conversation", async () => {
  const { session, events, requests } = await run([[overloaded], [overloaded], [{ text: "done" }]]);
  expect(retryEvents(events)).toEqual([
    { type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1, errorMessage: "busy" },
    { type: "auto_retry_start", attempt: 2, maxAttempts: 3, delayMs: 2, errorMessage: "busy" },
    { type: "auto_retry_end", success: true, attempt: 2 },
  ]);
  expect(requests.map(({ context }) => context.messages.length)).toEqual([1, 1, 1]);
  expect(show(session.messages)).toEqual(["user: go", "assistant: done"]);
  expect(events.filter(({ type }) => type === "agent_end")).toHaveLength(1);
  // The history keeps what happened.
  expect(storedTexts(session.sessionFile!)).toEqual([
    "user: go",
    "assistant(error): ",
    "assistant(error): ",
    "assistant: done",
  ]);
});

test("exhausted: the last failure stays and the end says why", async () => {
  const { session, events } = await run([[overloaded], [overloaded]], { ...quick, "retry.maxRetries": 1 });
  expect(retryEvents(events).at(-1)).toEqual({
    type: "auto_retry_end",
    success: false,
    attempt: 1,
    finalError: "busy",
  });
  expect(show(session.messages)).toEqual(["user: go", "assistant(error): "]);
  expect(events.find(({ type }) => type === "agent_end")).toMatchObject({ stopReason: "error" });
});

test("calls inside of a failed answer leave with it", async () => {
  const { session, requests } = await run([[{ call: "x" }, overloaded], [{ text: "done" }]]);
  expect(show(session.messages)).toEqual(["user: go", "assistant: done"]);
  expect(requests[1]!.context.messages).toHaveLength(1);
});

test("the wait doubles up to a limit, and the server's request applies if it is longer", async () => {
  const { events } = await run(
    [
      [overloaded],
      [{ fail: "rate_limit", status: 429, retryAfterMs: 7 }],
      [{ fail: "rate_limit", status: 429, retryAfterMs: 1 }],
      [{ text: "done" }],
    ],
    quick,
  );
  expect(retryEvents(events).map((event) => (event as { delayMs?: number }).delayMs)).toEqual([1, 7, 4, undefined]);
});

test("a requested wait beyond the limit fails the call", async () => {
  const patient: ScriptStep = { fail: "rate_limit", status: 429, message: "later", retryAfterMs: 120_000 };
  const alone = await run([[patient]]);
  expect(retryEvents(alone.events)).toEqual([]);
  const later = await run([[overloaded], [patient]]);
  expect(retryEvents(later.events).at(-1)).toMatchObject({
    success: false,
    attempt: 1,
    finalError: "later (the server asks to wait 120 seconds, which is more than retry.maxDelayMs)",
  });
});

test("permanent failures are not retried, and nothing is when retries are off", async () => {
  expect(retryEvents((await run([[{ fail: "auth", status: 401 }]])).events)).toEqual([]);
  expect(retryEvents((await run([[overloaded]], { "retry.enabled": false })).events)).toEqual([]);
  const { session, events } = await startSession([[overloaded], [overloaded], [{ text: "done" }]], { settings: quick });
  session.retry.enabled = false;
  await session.prompt("go");
  expect(retryEvents(events)).toEqual([]);
  session.retry.enabled = true;
  await session.prompt("again");
  expect(retryEvents(events)).toHaveLength(2);
});

test("each model call is counted separately", async () => {
  const { events } = await run([[overloaded], [{ call: "none" }], [overloaded], [{ text: "done" }]]);
  expect(retryEvents(events).map((event) => (event as { attempt: number }).attempt)).toEqual([1, 1, 1, 1]);
});

describe("while it waits", () => {
  test.each<["abort" | "abortRetry", string]>([
    ["abort", "aborted"],
    ["abortRetry", "error"],
  ])("%s ends the chain and the run", async (how, stopReason) => {
    const { session, events } = await startSession([[overloaded]], { settings: { "retry.baseDelayMs": 30_000 } });
    const waiting = nextEvent(session, "auto_retry_start");
    const over = session.prompt("go");
    await waiting;
    expect(session.isStreaming).toBe(true);
    await session.lifecycle[how]();
    await over;
    expect(retryEvents(events).at(-1)).toEqual({
      type: "auto_retry_end",
      attempt: 1,
      success: false,
      finalError: "Retry cancelled",
    });
    expect(events.find(({ type }) => type === "agent_end")).toMatchObject({ stopReason });
    expect(violations(events)).toEqual([]);
  });

  test("switching it off does not cancel", async () => {
    const { session, events } = await startSession([[overloaded], [{ text: "done" }]], {
      settings: { "retry.baseDelayMs": 50 },
    });
    const waiting = nextEvent(session, "auto_retry_start");
    const over = session.prompt("go");
    await waiting;
    session.retry.enabled = false;
    await over;
    expect(retryEvents(events).at(-1)).toMatchObject({ success: true });
  });
});

test("an abort during the repeated call ends the chain before the run", async () => {
  const { session, events } = await startSession([[overloaded], [{ text: "half" }, { wait: forever }]], {
    settings: quick,
  });
  const over = session.prompt("go");
  await nextEvent(session, "message_update");
  await session.abort();
  await over;
  expect(retryEvents(events).at(-1)).toMatchObject({ success: false, finalError: "Retry cancelled" });
  expect(violations(events)).toEqual([]);
});

test("nothing to abort is not an error", async () => {
  const { session, events } = await startSession([]);
  await session.lifecycle.abortRetry();
  expect(events).toEqual([]);
});
