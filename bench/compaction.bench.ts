// Measures what it costs to check whether a conversation must be compacted, and to plan it. Prints ratios; nothing is
// asserted.
import { tmpdir } from "node:os";
import { type AgentMessage, createSystemClock } from "@pintle/agent";
import { zeroUsage } from "@pintle/ai";
import { prepareCompaction } from "../packages/coding-agent/src/compaction/plan/prepare-compaction.ts";
import { ContextSize } from "../packages/coding-agent/src/compaction/size/context-size.ts";
import { messageText } from "../packages/coding-agent/src/compaction/summary/conversation-text.ts";
import type { SessionManager } from "../packages/storage/src/session-manager.ts";
import { SessionStore } from "../packages/storage/src/session-store.ts";
import { printTable } from "./support/table.ts";

const clock = createSystemClock();
const directory = tmpdir(); // nothing is written: the sessions are in memory
const store = new SessionStore({
  cwd: directory,
  sessionDir: directory,
  blobDir: directory,
  clock,
  process: { pid: process.pid, host: "bench", startedAt: "now" },
});

/** A question, an answer with a call, its result, a closing message: about 1 KB each. */
function message(index: number): AgentMessage {
  const timestamp = clock.now();
  const text = "some words of a conversation, ".repeat(34);
  if (index % 4 === 0) return { role: "user", content: [{ type: "text", text }], timestamp };
  const call = { type: "toolCall" as const, id: `c${index + 1}`, name: "read", arguments: { path: `src/${index}.ts` } };
  if (index % 4 === 2) {
    const content = [{ type: "text" as const, text }];
    return { role: "toolResult", toolCallId: `c${index}`, toolName: "read", content, isError: false, timestamp };
  }
  return {
    role: "assistant",
    content: [{ type: "text", text }, ...(index % 4 === 1 ? [call] : [])],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "some-model",
    usage: { ...zeroUsage(), input: index * 250, totalTokens: index * 250 },
    stopReason: index % 4 === 1 ? "toolUse" : "stop",
    timestamp,
  };
}

function session(length: number): SessionManager {
  const made = store.createInMemory();
  for (let index = 0; index < length; index += 1) made.appendMessage(message(index));
  return made;
}

/** The minimum of several rounds, in microseconds: other work on the machine only adds time. */
function best(rounds: number, work: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    Bun.gc(true);
    const start = performance.now();
    work();
    return (performance.now() - start) * 1000;
  });
  return Math.min(...times);
}

function check(messages: AgentMessage[]): number {
  const CHECKS = 1_000;
  const size = new ContextSize(messages);
  const added = Array.from({ length: CHECKS }, (_, index) => message(index));
  const start = performance.now();
  for (const one of added) {
    messages.push(one);
    size.update(messages);
    size.tokens(() => 0);
  }
  return ((performance.now() - start) * 1000) / CHECKS;
}

const rows: (string | number)[][] = [
  ["messages", "read context µs", "plan µs", "x read", "write out µs", "x read", "check µs"],
];
const perMessage: number[] = [];
for (const length of [1_000, 10_000, 100_000]) {
  const conversation = session(length);
  const plan = () =>
    prepareCompaction({
      session: conversation,
      reason: "threshold",
      reserveTokens: 16_384,
      keepRecentTokens: 20_000,
      threshold: 150_000,
      tokensBefore: 200_000,
      overheadTokens: 5_000,
    });
  const read = best(7, () => conversation.buildContext());
  const planned = best(7, plan);
  const { plan: cut } = plan();
  const written = best(3, () => {
    for (const { message: one } of cut.history) messageText(one);
  });
  const checked = check([...conversation.buildContext().messages]);
  perMessage.push(planned / length);
  const ratio = (value: number) => (value / read).toFixed(2);
  rows.push([
    length,
    read.toFixed(0),
    planned.toFixed(0),
    ratio(planned),
    written.toFixed(0),
    ratio(written),
    checked.toFixed(2),
  ]);
}
printTable(rows);
const [, medium = 1, large = 1] = perMessage;
console.log(`plan per message, 100000 against 10000: ${(large / medium).toFixed(2)} x (1 is linear)`);
