import { expect, test } from "bun:test";
import type { AgentEvent } from "@pintle/agent";
import type { AgentSessionEvent, ErrorCode, Params, Result, SessionTreeNode } from "../src/index.ts";
import { ref } from "../src/named-types.ts";

// The compiler runs these tests: an unneeded @ts-expect-error is an error.

test("events have the types that the loop and the session emit", () => {
  const end: AgentEvent = { type: "agent_end", messages: [], stopReason: "stop" };
  const settled: AgentSessionEvent = { type: "agent_settled", aborted: false };
  // @ts-expect-error: a run never ends with toolUse
  const wrong: AgentEvent = { type: "agent_end", messages: [], stopReason: "toolUse" };
  // @ts-expect-error: no such reason on the wire
  const alsoWrong: AgentSessionEvent = { type: "auto_compaction_start", reason: "manual", action: "context-full" };
  expect([end, settled, wrong, alsoWrong].map(({ type }) => type)).toHaveLength(4);
});

test("a command has the types of its parameters and result, also if its row only names a type", () => {
  const params: Params<"set_model"> = { provider: "p", modelId: "m" };
  const result: Result<"get_branch_messages"> = { messages: [{ entryId: "e", text: "t" }] };
  // @ts-expect-error: an entry has an id
  const wrong: Result<"get_branch_messages"> = { messages: [{ text: "t" }] };
  expect([params, result, wrong]).toHaveLength(3);
});

test("a tree node contains nodes", () => {
  const entry = { type: "message", id: "1", parentId: null, timestamp: "" };
  const leaf: SessionTreeNode = { entry, children: [] };
  // @ts-expect-error: a child is a node, not an entry
  const wrong: SessionTreeNode = { entry, children: [entry] };
  expect([leaf, wrong]).toHaveLength(2);
});

test("only a declared type can be named, and only a declared code used", () => {
  expect(ref("Model")).toEqual({ $ref: "Model" } as never);
  // @ts-expect-error: there is no such type
  expect(ref("Modell")).toEqual({ $ref: "Modell" } as never);
  // @ts-expect-error: there is no such code
  const code: ErrorCode = "unknown";
  expect(code).toBe("unknown" as never);
});
