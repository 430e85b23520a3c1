import { expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import { zeroUsage } from "@pintle/ai";
import { scriptedModelInfo } from "@pintle/ai/testing";
import fc from "fast-check";
import { contextUsage } from "../../../src/session/conversation/context-usage.ts";

const user = (timestamp: number): AgentMessage => ({ role: "user", content: "hello", timestamp });
const summary: AgentMessage = { role: "compactionSummary", summary: "before", tokensBefore: 9, timestamp: 2 };

test("a summary that joins the same conversation makes the size unknown", () => {
  const source = { model: { ...scriptedModelInfo, contextWindow: 100 }, overheadTokens: () => 10 };
  const messages = [user(1)];
  expect(contextUsage(messages, source)?.tokens).toBeGreaterThan(10);
  messages.push(summary);
  expect(contextUsage(messages, source)).toEqual({ tokens: null, contextWindow: 100, percent: null });
  expect(contextUsage([user(3)], source)?.tokens).toBeGreaterThan(10);
});

test("what is kept between questions changes no answer", () => {
  const kinds = fc.constantFrom("user", "summary", "measured", "unmeasured");
  const message = (kind: string, timestamp: number): AgentMessage => {
    if (kind === "user") return user(timestamp);
    if (kind === "summary") return { ...summary, timestamp };
    const usage = kind === "measured" ? { ...zeroUsage(), input: 50, totalTokens: 50 + timestamp } : zeroUsage();
    const content = [{ type: "text" as const, text: "an answer" }];
    const { api, provider, id: model } = scriptedModelInfo;
    return { role: "assistant", content, api, provider, model, usage, stopReason: "stop", timestamp };
  };
  const source = { model: { ...scriptedModelInfo, contextWindow: 1_000 }, overheadTokens: () => 10 };
  fc.assert(
    fc.property(fc.array(fc.tuple(kinds, fc.boolean()), { maxLength: 20 }), (steps) => {
      const messages: AgentMessage[] = [];
      for (const [index, [kind, drops]] of steps.entries()) {
        if (drops) messages.pop();
        messages.push(message(kind, index));
        expect(contextUsage(messages, source)).toEqual(contextUsage([...messages], source));
      }
    }),
    { numRuns: Number(process.env.PINTLE_PROPERTY_RUNS ?? 200), seed: 46 },
  );
});
