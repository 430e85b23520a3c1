import { describe, expect, test } from "bun:test";
import type { Tool } from "@pintle/agent";
import type { ScriptedAnswer, ScriptStep } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { makeTool } from "../../../../agent/test/support/tools.ts";
import {
  forever,
  Moment,
  nextEvent,
  show,
  startSession,
  storedMessages,
  violations,
} from "../../support/session/test-session.ts";

// The test's model has a window of 1000 tokens.
/** Fills the window and ends the run, after which no provider has counted it. */
const last = makeTool("last", async () => ({
  content: [{ type: "text", text: "line ".repeat(700) }],
  terminate: true,
}));
const settings = { "compaction.reserveTokens": 200, "compaction.keepRecentTokens": 20, "retry.baseDelayMs": 0 };
/** A request without tools requests a summary. */
const isSummary = ({ tools }: { tools?: readonly unknown[] }) => (tools ?? []).length === 0;

const kinds = (events: readonly AgentSessionEvent[]) =>
  events.flatMap(({ type }) => (/compaction|^agent_/.test(type) ? [type] : []));

/** Summary requests are answered separately, all others in order. */
async function start(
  answers: readonly ScriptedAnswer[],
  {
    summarize = () => [{ text: "SUMMARY of what was said" }],
    ...more
  }: { summarize?: () => ScriptStep[]; agentTools?: Tool[] } = {},
) {
  const left = [...answers];
  const answer: ScriptedAnswer = (context, options) => {
    if (isSummary(context)) return summarize();
    const next = left.shift() ?? [{ fail: "invalid_request", message: "The script has no further answer" }];
    return typeof next === "function" ? next(context, options) : next;
  };
  return startSession(
    Array.from({ length: 30 }, () => answer),
    { settings, noTools: "builtin", agentTools: [last], ...more },
  );
}

test("an answer that fills the window is followed by a compaction before the run is settled", async () => {
  const started = await start([[{ call: "last" }]]);
  const { session, events } = started;
  await session.prompt("go");
  expect(kinds(events)).toEqual([
    "agent_start",
    "agent_end",
    "auto_compaction_start",
    "auto_compaction_end",
    "agent_settled",
  ]);
  expect(events.find(({ type }) => type === "auto_compaction_end")).toMatchObject({
    reason: "threshold",
    action: "context-full",
    aborted: false,
    willRetry: false,
    result: { tokensBefore: expect.any(Number), firstKeptEntryId: expect.any(String) },
  });
  expect(session.messages[0]!.role).toBe("compactionSummary");
  expect(JSON.stringify(await storedMessages(started, session.sessionFile!))).toBe(JSON.stringify(session.messages));
  expect(violations(events)).toEqual([]);
});

test("between two turns of a run", async () => {
  const big = makeTool("big", async () => ({ content: [{ type: "text", text: "line ".repeat(700) }] }));
  const { session, events, requests } = await start([[{ call: "big" }], [{ text: "done" }]], {
    agentTools: [big],
  });
  await session.prompt("go");
  const order = events.map(({ type }) => type);
  expect(order.indexOf("auto_compaction_end")).toBeLessThan(order.indexOf("agent_end"));
  expect(violations(events)).toEqual([]);
  expect(show(session.messages).at(-1)).toBe("assistant: done");
  expect(requests.at(-1)!.context.messages.length).toBeGreaterThan(0);
});

test("a request that is too large is repeated once, after a compaction; the second time it fails", async () => {
  const overflow: ScriptStep = { fail: "overflow", status: 400, message: "prompt is too long" };
  const { session, events } = await start([[{ text: "first ".repeat(200) }], [overflow], [{ text: "fits now" }]]);
  await session.prompt("one");
  await session.prompt("two");
  expect(events.find(({ type }) => type === "auto_compaction_end")).toMatchObject({
    reason: "overflow",
    willRetry: true,
  });
  expect(show(session.messages).at(-1)).toBe("assistant: fits now");
  expect(show(session.messages).some((line) => line.includes("error"))).toBe(false);
  expect(violations(events)).toEqual([]);
});

test("what came since the last answer counts before the next prompt", async () => {
  const { session, events } = await start([[{ text: "hello" }], [{ text: "again" }]]);
  await session.prompt("one");
  await session.processes.runBash({ command: "yes | head -2000" });
  events.length = 0;
  await session.prompt("two");
  expect(kinds(events).slice(0, 3)).toEqual(["auto_compaction_start", "auto_compaction_end", "agent_start"]);
  expect(violations(events)).toEqual([]);
  await session.dispose();
});

describe("on request", () => {
  test("it ends the run first, says nothing of its own in the seed's events, and the summary stands first", async () => {
    const busy = new Moment();
    const { session, events } = await start([
      [{ text: "hello" }],
      () => {
        busy.mark();
        return [{ text: "half" }, { wait: forever }];
      },
    ]);
    await session.prompt("one");
    const over = session.prompt("two");
    await busy.come;
    const result = await session.lifecycle.compact("keep names");
    await over;
    expect(result.summary).toContain("SUMMARY");
    expect(events.filter(({ type }) => type === "agent_end").at(-1)).toMatchObject({ stopReason: "aborted" });
    expect(session.messages[0]!.role).toBe("compactionSummary");
    expect(session.compaction.isCompacting).toBe(false);
  });

  test("it can be aborted, and then nothing has changed", async () => {
    const asked = new Moment();
    const { session } = await start([[{ text: "hello" }]], {
      summarize: () => {
        asked.mark();
        return [{ wait: forever }];
      },
    });
    await session.prompt("one");
    const before = show(session.messages);
    const refusal = session.lifecycle.compact().catch((error: Error) => error.message);
    await asked.come;
    expect(session.compaction.isCompacting).toBe(true);
    await session.abort();
    expect(await refusal).toBe("Compaction cancelled");
    expect([show(session.messages), session.compaction.isCompacting]).toEqual([before, false]);
  });

  test("a prompt meanwhile waits for its end", async () => {
    const asked = new Moment();
    const go = new Moment();
    const { session } = await start([[{ text: "hello" }], [{ text: "after" }]], {
      summarize: () => {
        asked.mark();
        return [{ wait: go.come }, { text: "SUMMARY" }];
      },
    });
    await session.prompt("one");
    const compacted = session.lifecycle.compact();
    await asked.come;
    const prompted = session.prompt("two");
    go.mark();
    await compacted;
    await prompted;
    const lines = show(session.messages);
    expect(lines[0]).toStartWith("compactionSummary");
    expect(lines.slice(-2)).toEqual(["user: two", "assistant: after"]);
  });

  test("there must be something to compact, and not twice", async () => {
    const { session } = await start([[{ text: "hello" }]]);
    await expect(session.lifecycle.compact()).rejects.toThrow("Nothing to compact (session too small)");
    await session.prompt("one");
    await session.lifecycle.compact();
    await expect(session.lifecycle.compact()).rejects.toThrow("Already compacted");
  });

  test("a summary that cannot be made leaves everything as it was", async () => {
    const { session } = await start([[{ text: "hello" }]], {
      summarize: () => [{ fail: "auth", status: 401, message: "bad key" }],
    });
    await session.prompt("one");
    const before = show(session.messages);
    await expect(session.lifecycle.compact()).rejects.toThrow("Summarization failed: bad key");
    expect(show(session.messages)).toEqual(before);
  });
});

test("an abort of the compaction after a run leaves the session ready", async () => {
  const { session, events } = await start([[{ call: "last" }]], { summarize: () => [{ wait: forever }] });
  const compacting = nextEvent(session, "auto_compaction_start");
  const over = session.prompt("go");
  await compacting;
  expect([session.isStreaming, session.compaction.isCompacting]).toEqual([false, true]);
  await session.abort();
  await over;
  expect(events.find(({ type }) => type === "auto_compaction_end")).toMatchObject({ aborted: true });
  expect(violations(events)).toEqual([]);
});

test("switched off it does not happen", async () => {
  const { session, events } = await start([[{ call: "last" }]]);
  session.compaction.enabled = false;
  await session.prompt("go");
  expect(events.some(({ type }) => type.includes("compaction"))).toBe(false);
  session.compaction.enabled = true;
  expect(session.compaction.enabled).toBe(true);
});

test("a preview that waits is called to mind again after the conversation was compacted", async () => {
  const stage = makeTool("stage", async () => {
    started.session.tooling.previews.push({
      label: "x",
      sourceToolName: "stage",
      apply: async () => ({ content: [] }),
    });
    return { content: [{ type: "text", text: "preview ".repeat(600) }] };
  });
  const started = await start(
    [[{ call: "stage" }], [{ call: "resolve", args: { action: "discard", reason: "no" } }], [{ text: "done" }]],
    { agentTools: [stage] },
  );
  await started.session.prompt("go");
  const forced = started.requests.find(({ options }) => options.toolChoice !== undefined)!;
  expect(JSON.stringify(forced.context.messages)).toContain("is a preview");
  expect(started.session.tooling.previews.list()).toEqual([]);
});
