import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "@pintle/agent";
import { type Model, zeroUsage } from "@pintle/ai";
import type { RunDenial } from "@pintle/wire";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { RunResults } from "../../../src/session/results/run-results.ts";

const PRICE = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
const usage = (tokens: number, total: number) => ({
  ...zeroUsage(),
  input: tokens,
  totalTokens: tokens,
  cost: { ...zeroUsage().cost, total },
});

function results(cwd = "/", hasPrice = true) {
  let now = 1000;
  const found = new RunResults({
    now: () => now,
    cwd: () => cwd,
    session: () => ({ sessionId: "s", sessionFile: undefined }),
    findModel: (provider, id) => (hasPrice ? ({ provider, id, cost: PRICE } as Model) : undefined),
  });
  return { found, pass: (ms: number) => (now += ms) };
}

const answer = (model: string, text: string, tokens: number, more: object = {}) => ({
  type: "message_end",
  message: {
    role: "assistant",
    content: text === "" ? [] : [{ type: "text", text }],
    provider: "p",
    model,
    timestamp: 0,
    api: "a",
    usage: usage(tokens, tokens / 100),
    stopReason: "stop",
    ...more,
  },
});
const observe = (account: ReturnType<RunResults["open"]>, ...events: object[]) => {
  for (const event of events) account.observe(event as AgentEvent);
};

test("sums failed calls and summaries, by model in the order of first use, and keeps the last text", async () => {
  const { found, pass } = results();
  const account = found.open();
  observe(account, answer("a", "first", 100), answer("b", "", 10, { stopReason: "error", errorMessage: "x" }));
  account.addCall({ provider: "p", id: "a" }, usage(1000, 10));
  observe(account, answer("b", "", 5));
  pass(250);
  observe(account, { type: "agent_end", messages: [], stopReason: "stop" });
  pass(50);
  const result = await found.finish(account, { stopReason: "stop", endedBy: "stop" });
  expect(result).toMatchObject({ text: "first", cost: 11.15, turns: 3, durationMs: 250, sessionId: "s" });
  expect(result.usage?.totalTokens).toBe(1115);
  expect(result.models?.map(({ model, turns, cost }) => [model, turns, cost])).toEqual([
    ["a", 1, 11],
    ["b", 2, expect.closeTo(0.15)],
  ]);
  expect(result).not.toHaveProperty("sessionFile");
  expect(result).not.toHaveProperty("omitted");
});

test("has no cost if a model has no known price", async () => {
  const { found } = results("/", false);
  const account = found.open();
  observe(account, answer("a", "x", 100));
  const { cost, models } = await found.finish(account, { stopReason: "stop", endedBy: "stop" });
  expect([cost, models?.[0]?.cost]).toEqual([null, null]);
});

test("lists at most 100 denials with reasons of at most 500 characters, and counts the others", async () => {
  const { found } = results();
  const account = found.open();
  const denial: RunDenial = { toolCallId: "c", tool: "bash", kind: "execute", by: "rule", reason: "x".repeat(600) };
  for (let index = 0; index < 103; index += 1) account.addDenial(denial);
  const { denials = [], omitted } = await found.finish(account, { stopReason: "stop", endedBy: "stop" });
  expect(denials).toHaveLength(100);
  expect(denials[0]!.reason.length).toBeLessThanOrEqual(500);
  expect(omitted).toEqual({ denials: 3 });
});

test("lists at most 500 changed files: added, modified, deleted, binary, and not those that are as before", async () => {
  const cwd = scratchPath();
  try {
    const { found } = results(cwd);
    const account = found.open();
    const change = (name: string, before: string | undefined, after: string | undefined) => {
      const path = join(cwd, name);
      if (before !== undefined) writeFileSync(path, before);
      account.beforeWrite(path);
      if (after === undefined) rmSync(path);
      else writeFileSync(path, after);
    };
    change("added.txt", undefined, "1\n2\n");
    change("binary", "a\0", "b\0");
    change("deleted.txt", "1\n2\n3\n", undefined);
    change("modified.txt", "1\n2\n", "1\nx\ny\n");
    change("same.txt", "1\n", "1\n");
    const first = await found.finish(account, { stopReason: "stop", endedBy: "stop" });
    expect(first.filesChanged).toEqual([
      { path: "added.txt", status: "added", added: 2, removed: 0, binary: false },
      { path: "binary", status: "modified", added: 0, removed: 0, binary: true },
      { path: "deleted.txt", status: "deleted", added: 0, removed: 3, binary: false },
      { path: "modified.txt", status: "modified", added: 2, removed: 1, binary: false },
    ]);
    for (let index = 0; index < 498; index += 1) change(`n${index}`, undefined, "");
    const many = await found.finish(account, { stopReason: "stop", endedBy: "stop" });
    expect(many.filesChanged).toHaveLength(500);
    expect(many.omitted).toEqual({ filesChanged: 2 });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
