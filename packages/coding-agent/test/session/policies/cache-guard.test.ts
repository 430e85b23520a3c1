import { describe, expect, test } from "bun:test";
import { type AssistantMessage, type Model, type RequestPrefix, zeroUsage } from "@pintle/ai";
import type { AgentSessionEvent } from "@pintle/wire";
import { claude } from "../../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import { CacheGuard } from "../../../src/session/policies/cache-guard.ts";

const other: Model = { ...claude, id: "other" };
const request = (...messages: string[]): RequestPrefix => ({ tools: [{ name: "read" }], system: "s", messages });
const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const headBytes = size({ name: "read" }) + size("s");

function watch() {
  const events: AgentSessionEvent[] = [];
  const clock = { at: 0 };
  const guard = new CacheGuard({ emit: (event) => events.push(event), now: () => clock.at });
  const causes = () =>
    events.splice(0).map((event) => (event.type === "cache_break" ? event.cause : `unexpected ${event.type}`));
  return { guard, clock, events, causes };
}

function answer(promptTokens: number): AssistantMessage {
  const { api, provider, id: model } = claude;
  const usage = { ...zeroUsage(), input: promptTokens / 2, cacheRead: promptTokens / 2, totalTokens: promptTokens };
  return { role: "assistant", content: [], api, provider, model, usage, stopReason: "stop", timestamp: 0 };
}

describe("the reported cause", () => {
  test("nothing is reported for the first request, nor for one that continues", () => {
    const { guard, causes } = watch();
    guard.observe(claude, request("a"));
    guard.observe(claude, request("a", "b"));
    expect(causes()).toEqual([]);
  });

  test.each(["compaction", "pruning", "navigation"] as const)("%s", (change) => {
    const { guard, causes } = watch();
    guard.observe(claude, request("a", "b"));
    guard.contextChanged(change);
    guard.observe(claude, request("summary"));
    expect(causes()).toEqual([change]);
    guard.observe(claude, request("else"));
    expect(causes()).toEqual(["messages_rewritten"]);
  });

  test("what happened to the messages is not blamed when they are still the same", () => {
    const { guard, causes } = watch();
    guard.observe(claude, request("a"));
    guard.contextChanged("navigation");
    guard.observe(claude, { ...request("a", "b"), system: "another" });
    expect(causes()).toEqual(["system_changed"]);
  });

  test("a session that takes the place of another, with tools of its own", () => {
    const { guard, causes } = watch();
    guard.observe(claude, request("a"));
    guard.restore("new");
    guard.observe(claude, { ...request("b"), tools: [] });
    expect(causes()).toEqual(["session_changed"]);
  });

  test("another model, until the first is back with what it knows", () => {
    const { guard, causes } = watch();
    guard.observe(claude, request("a"));
    guard.observe(other, request("a", "b"));
    expect(causes()).toEqual(["model_changed"]);
    guard.observe(claude, request("a", "b", "c"));
    guard.observe(other, request("a", "b", "c", "d"));
    expect(causes()).toEqual([]);
  });

  test("of many models the one that was used longest ago is forgotten", () => {
    const { guard, causes } = watch();
    const models = ["1", "2", "3", "4", "5"].map((id) => ({ ...claude, id }));
    for (const model of models) guard.observe(model, request("a"));
    causes();
    guard.observe(models[4]!, request("a"));
    guard.observe(models[1]!, request("a"));
    expect(causes()).toEqual([]);
    guard.observe(models[0]!, request("a"));
    expect(causes()).toEqual(["model_changed"]);
  });
});

test("losses are reported in bytes and in the provider's tokens, and summed up until another session is open", () => {
  const { guard, events } = watch();
  guard.observe(claude, request("first message", "second message"));
  guard.after({ type: "message_end", message: answer(1000) });
  guard.observe(claude, request("first message", "another"));
  const bytesLost = size("second message");
  const bytes = headBytes + size("first message") + bytesLost;
  const tokensLost = Math.round((1000 * bytesLost) / bytes);
  expect(events).toEqual([{ type: "cache_break", cause: "messages_rewritten", bytesLost, tokensLost }]);
  // No answer has reported anything about this one.
  guard.observe(other, request("first message"));
  const all = headBytes + size("first message") + size("another");
  expect(events[1]).toEqual({
    type: "cache_break",
    cause: "model_changed",
    bytesLost: all,
    tokensLost: Math.round(all / 4),
  });
  expect(guard.breaks).toEqual({ count: 2, bytesLost: bytesLost + all, tokensLost: tokensLost + Math.round(all / 4) });
  guard.restore("moved");
  expect(guard.breaks.count).toBe(2);
  guard.restore("resume");
  expect(guard.breaks).toEqual({ count: 0, bytesLost: 0, tokensLost: 0 });
});

describe("a conversation is in no cache", () => {
  const minutes = (count: number) => count * 60_000;

  test("before the first request, and to a model that has seen nothing of it", () => {
    const { guard } = watch();
    expect(guard.isCold(claude)).toBe(true);
    guard.observe(claude, request("a"));
    expect([guard.isCold(claude), guard.isCold(other)]).toEqual([false, true]);
  });

  test("once it is older than providers keep it", () => {
    const { guard, clock } = watch();
    guard.observe(claude, request("a"));
    clock.at = minutes(4);
    guard.observe(claude, request("a", "b"));
    clock.at = minutes(8);
    expect(guard.isCold(claude)).toBe(false);
    clock.at = minutes(9);
    expect(guard.isCold(claude)).toBe(true);
    guard.observe(claude, request("a", "b", "c"), "long");
    clock.at = minutes(60);
    expect(guard.isCold(claude)).toBe(false);
    guard.observe(claude, request("a", "b", "c", "d"), "none");
    expect(guard.isCold(claude)).toBe(true);
  });

  test.each([
    ["compaction", true],
    ["pruning", true],
    ["navigation", false],
  ] as const)("after %s: %p", (change, isCold) => {
    const { guard } = watch();
    guard.observe(claude, request("a", "b"));
    guard.contextChanged(change);
    expect(guard.isCold(claude)).toBe(isCold);
    guard.observe(claude, request("summary"));
    expect(guard.isCold(claude)).toBe(false);
  });
});
