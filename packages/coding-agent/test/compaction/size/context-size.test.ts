import { describe, expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import fc from "fast-check";
import { propertyRuns } from "../../../../agent/test/support/property-runs.ts";
import { ContextSize } from "../../../src/compaction/size/context-size.ts";
import { estimateTokens } from "../../../src/compaction/size/token-estimate.ts";
import { answer, bash, custom, developer, items, long, result, user } from "../../support/compaction/messages.ts";

const OVERHEAD = 1_000;
const tokensOf = (messages: readonly AgentMessage[]) => new ContextSize(messages).tokens(() => OVERHEAD);
const summary = (timestamp: number): AgentMessage => ({
  role: "compactionSummary",
  summary: long(100),
  tokensBefore: 0,
  timestamp,
});
const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };

describe("estimate of a message", () => {
  test.each<[string, AgentMessage, number]>([
    ["text", user("12345678"), 2],
    ["a part of a token is one", user("123456789"), 3],
    ["bytes, not characters", user("漢字漢字"), 3],
    ["an image of the user", { role: "user", content: [image], timestamp: 1 }, 1200],
    [
      "an image in a note",
      { role: "custom", customType: "n", content: [image, image], display: true, timestamp: 1 },
      2400,
    ],
    ["a note for the developer", developer("12345678"), 2],
    ["a failed answer, which nobody sees", answer("12345678", { stopReason: "error" }), 0],
    ["a call: name and arguments", answer("", { calls: [{ id: "a", name: "read", arguments: { path: "abc" } }] }), 5],
  ])("%s", (_name, message, tokens) => {
    expect(estimateTokens(message)).toBe(tokens);
  });

  test("includes a command's output, unless the user excluded it", () => {
    const message = bash(long(500));
    expect(estimateTokens(message)).toBeGreaterThan(500);
    expect(estimateTokens({ ...message, excludeFromContext: true } as AgentMessage)).toBe(0);
  });
});

describe("size of a conversation", () => {
  test("without a count of the provider: everything, and what is sent besides messages", () => {
    expect(tokensOf([user(long(50)), custom(long(20))])).toBe(OVERHEAD + 70);
  });

  test("what the provider counted, and an estimate of what came after", () => {
    expect(tokensOf([user(long(50)), answer("x", { tokens: 400 }), user(long(30))])).toBe(430);
  });

  test("counts in parts are added up", () => {
    const counted = answer("x");
    const usage = { ...counted.usage, input: 1, output: 20, cacheRead: 300, cacheWrite: 4000, totalTokens: 0 };
    expect(tokensOf([{ ...counted, usage }])).toBe(4321);
  });

  test.each(["error", "aborted"] as const)("an answer that ended with %s does not determine the size", (stopReason) => {
    const cut = answer("", { tokens: 9_000, stopReason });
    expect(tokensOf([user(long(50)), answer("x", { tokens: 400 }), cut])).toBe(400);
  });

  test("never less than the estimate of the messages", () => {
    expect(tokensOf([user(long(5_000)), answer("x", { tokens: 10 })])).toBe(5_001);
  });

  test("a count from before the compaction is about another context", () => {
    const kept = answer("x", { tokens: 90_000, timestamp: 5 });
    expect(tokensOf([summary(10), kept])).toBe(OVERHEAD + estimateTokens(summary(10)) + 1);
    expect(tokensOf([summary(10), kept, answer("y", { tokens: 700, timestamp: 11 })])).toBe(700);
  });

  test("no answer since the compaction", () => {
    const kept = answer("x", { tokens: 5, timestamp: 5 });
    const isFresh = (...messages: AgentMessage[]) => new ContextSize(messages).isFreshlyCompacted;
    expect(isFresh(summary(10), kept)).toBe(true);
    expect(isFresh(summary(10))).toBe(true);
    expect(isFresh(summary(10), kept, answer("", { stopReason: "error", timestamp: 11 }))).toBe(false);
    expect(isFresh(kept)).toBe(false);
    expect(isFresh()).toBe(false);
  });

  test("subtracts what was pruned after the provider's count, until the next count", () => {
    const pruned = result("a", "[Output truncated - 3000 tokens]", { prunedAt: 100 });
    const before = answer("x", { tokens: 5_000, timestamp: 50 });
    expect(tokensOf([pruned, before])).toBe(5_000 - 3_000 + 8);
    expect(tokensOf([pruned, before, answer("y", { tokens: 2_500, timestamp: 150 })])).toBe(2_500);
  });
});

describe("counting what is new", () => {
  const message = fc.oneof(
    fc.nat(200).map((tokens) => () => user(long(tokens))),
    fc.nat(9_000).map((tokens) => () => answer("ok", { tokens })),
    fc.constant(() => answer("", { stopReason: "aborted" })),
    fc.constant(() => result("a", "[Output truncated - 500 tokens]", { prunedAt: 10_000_000 })),
    fc.nat(200).map((tokens) => () => result("b", long(tokens))),
  );

  test("gives the same as counting everything, whatever was added, moved or replaced", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(message, fc.constantFrom("push", "insert", "replace", "drop"))), (steps) => {
        const size = new ContextSize();
        let messages: AgentMessage[] = [];
        for (const [make, how] of steps) {
          if (how === "push") messages.push(make());
          else if (how === "insert") messages.splice(Math.max(0, messages.length - 1), 0, make());
          else if (how === "replace") messages = [...messages, make()];
          else messages = messages.slice(1);
          size.update(messages);
          expect(size.tokens(() => OVERHEAD)).toBe(tokensOf(messages));
          expect(size.lastAnswer).toBe(messages.findLast((one) => one.role === "assistant"));
        }
      }),
      propertyRuns({ numRuns: 200, seed: 1 }),
    );
  });

  test("reads only the new messages", () => {
    const size = new ContextSize();
    const looked: number[] = [];
    const messages = new Proxy(
      items().map(({ message }) => message),
      {
        get: (target, key, receiver) => {
          if (typeof key === "string" && /^\d+$/.test(key)) looked.push(Number(key));
          return Reflect.get(target, key, receiver);
        },
      },
    );
    for (let index = 0; index < 100; index += 1) messages.push(user("x"));
    size.update(messages);
    looked.length = 0;
    messages.push(user("y"), user("z"));
    size.update(messages);
    expect(Math.min(...looked)).toBe(99);
  });
});
