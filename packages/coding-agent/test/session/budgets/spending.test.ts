import { expect, test } from "bun:test";
import type { SessionEntry } from "@pintle/wire";
import { Spending } from "../../../src/session/budgets/spending.ts";

const usage = (input: number, total: number) => ({ input, output: 0, cacheRead: 1, cacheWrite: 0, cost: { total } });
const entry = (fields: object) => ({ id: "e", parentId: null, timestamp: "", ...fields }) as unknown as SessionEntry;
const message = (fields: object) => entry({ type: "message", message: { content: [], ...fields } });

test("counts answers, what tools asked of models, and summaries; an answer that was never asked for is no turn", () => {
  const call = { type: "toolCall", id: "c", name: "read", arguments: {} };
  const spent = Spending.of([
    message({ role: "user", content: "hi" }),
    message({ role: "assistant", content: [call, call], stopReason: "toolUse", usage: usage(9, 1) }),
    message({ role: "toolResult", details: { usage: usage(19, 2) } }),
    message({ role: "assistant", stopReason: "error", usage: usage(0, 0) }),
    message({ role: "assistant", stopReason: "aborted", usage: { ...usage(0, 0), cacheRead: 0, totalTokens: 0 } }),
    entry({ type: "compaction", details: { usage: usage(29, 4) } }),
    entry({ type: "model_usage", usage: usage(39, 8) }),
    message({ role: "assistant", content: "broken by another program", usage: { input: "many" } }),
  ]);
  expect(spent.used(7)).toEqual({ costUsd: 15, tokens: 101, turns: 2, wallMs: 7, toolCalls: 2 });
});
