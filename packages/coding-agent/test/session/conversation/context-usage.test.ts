import { expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import { scriptedModelInfo } from "@pintle/ai/testing";
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
