import { expect, test } from "bun:test";
import type { AgentEvent, ToolResult } from "@pintle/agent";
import type { AssistantUpdateEvent, StopReason } from "@pintle/ai";
import type { Static } from "typebox";
import type {
  AgentToolResultSchema,
  AssistantUpdateEventSchema,
  RunStopReasonSchema,
} from "../../../packages/agent/src/schemas.ts";
import type {
  FrameId,
  ReadyFrame,
  ResponseFrame,
} from "../../../packages/coding-agent/src/modes/rpc/commands/rpc-types.ts";
import type { SessionState } from "../../../packages/coding-agent/src/modes/rpc/commands/wire-schemas.ts";
import type { PendingActionInfo } from "../../../packages/coding-agent/src/previews/pending-action.ts";
import type { BashResult } from "../../../packages/coding-agent/src/processes/bash-result.ts";
import type { ContextUsage } from "../../../packages/coding-agent/src/session/context-usage.ts";
import type {
  PendingActionInfoSchema,
  TodoPhaseSchema,
} from "../../../packages/coding-agent/src/session/session-event-data.ts";
import type { AgentSessionEvent } from "../../../packages/coding-agent/src/session/session-events.ts";
import type { SessionStats, TokenCounts } from "../../../packages/coding-agent/src/session/session-stats.ts";
import type { SessionEntry } from "../../../packages/coding-agent/src/storage/entries/entries.ts";
import type { SessionTreeNode, UserMessageText } from "../../../packages/coding-agent/src/storage/session-tree.ts";
import type { TodoPhase } from "../../../packages/coding-agent/src/todos/todo-phases.ts";
import type {
  BashResultSchema,
  ContextUsageSchema,
  SessionEntrySchema,
  SessionStatsSchema,
  SessionTreeNodeSchema,
  TokenCountsSchema,
  UserMessageTextSchema,
} from "../../../scripts/docs/wire/data-types.ts";
import type { FailureResponseSchema, FrameIdSchema, ReadySchema } from "../../../scripts/docs/wire/frames.ts";

// Where a schema and a type are written down apart, the compiler holds them together: each line is an error when they differ
// in a field, in its type or in whether it may be absent.

type Plain<T> = T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false;

const isSame: { [name: string]: true } = {
  AgentToolResult: true satisfies Same<Static<typeof AgentToolResultSchema>, ToolResult>,
  AssistantUpdateEvent: true satisfies Same<Static<typeof AssistantUpdateEventSchema>, AssistantUpdateEvent>,
  RunStopReason: true satisfies Same<Static<typeof RunStopReasonSchema>, Exclude<StopReason, "toolUse">>,
  BashResult: true satisfies Same<Static<typeof BashResultSchema>, BashResult>,
  ContextUsage: true satisfies Same<Static<typeof ContextUsageSchema>, ContextUsage>,
  TokenCounts: true satisfies Same<Static<typeof TokenCountsSchema>, TokenCounts>,
  SessionStats: true satisfies Same<Static<typeof SessionStatsSchema>, SessionStats>,
  SessionEntry: true satisfies Same<Static<typeof SessionEntrySchema>, SessionEntry>,
  SessionTreeNode: true satisfies Same<Static<typeof SessionTreeNodeSchema>, SessionTreeNode>,
  UserMessageText: true satisfies Same<Static<typeof UserMessageTextSchema>, UserMessageText>,
  PendingActionInfo: true satisfies Same<Static<typeof PendingActionInfoSchema>, PendingActionInfo>,
  TodoPhase: true satisfies Same<Static<typeof TodoPhaseSchema>, TodoPhase>,
  todoPhases: true satisfies Same<TodoPhase[], SessionState["todoPhases"]>,
  FrameId: true satisfies Same<Static<typeof FrameIdSchema>, FrameId>,
  Ready: true satisfies Same<Static<typeof ReadySchema>, ReadyFrame>,
  FailureResponse: true satisfies Same<
    Static<typeof FailureResponseSchema>,
    Extract<ResponseFrame, { success: false }>
  >,
};

test("what is declared twice is the same", () => {
  expect(Object.values(isSame).every(Boolean)).toBe(true);
});

test("the comparison sees every kind of difference", () => {
  const differs: false[] = [
    false satisfies Same<{ a: string }, { a?: string }>,
    false satisfies Same<{ a: string }, { a: string; b?: string }>,
    false satisfies Same<{ a: { b: "x" } }, { a: { b: "x" | "y" } }>,
    false satisfies Same<{ a: string }[], { a: string | null }[]>,
  ];
  expect(differs).toHaveLength(4);
});

test("events keep the types that the loop and the session emit", () => {
  const end: AgentEvent = { type: "agent_end", messages: [], stopReason: "stop" };
  const settled: AgentSessionEvent = { type: "agent_settled", aborted: false };
  // @ts-expect-error: a run never ends with toolUse
  const wrong: AgentEvent = { type: "agent_end", messages: [], stopReason: "toolUse" };
  // @ts-expect-error: no such reason on the wire
  const alsoWrong: AgentSessionEvent = { type: "auto_compaction_start", reason: "manual", action: "context-full" };
  expect([end, settled, wrong, alsoWrong].map(({ type }) => type)).toHaveLength(4);
});
