import { describe, expect, test } from "bun:test";
import { says } from "../support/scenarios/chat-server.ts";
import { type ExtensionRun, withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";

// Tests the hooks around compaction and moves in the tree in the built program.

const settings = { compaction: { keepRecentTokens: 1 } };
const answers = [says("first"), says("second"), says("a summary")];

/** A session of two exchanges, ready to be compacted. */
async function conversation(body: string): Promise<ExtensionRun> {
  const run = await withExtensions(body, { settings, answers });
  await run.rpc.prompt("one");
  await run.rpc.prompt("two");
  return run;
}

const COMPACTED = `pi.on("session_compact", (event, ctx) => tell(ctx, "compacted", event));`;

describe("session_before_compact", () => {
  test("receives the planned compaction", async () => {
    await using run = await conversation(
      `${COMPACTED} pi.on("session_before_compact", ({ signal, ...event }, ctx) => tell(ctx, "before", { ...event, signal: signal.aborted }));`,
    );
    const { data } = await run.rpc.call("compact", { customInstructions: "be brief" });
    const [before] = (await run.told("before")) as [Frame];
    expect(before).toMatchObject({ type: "session_before_compact", customInstructions: "be brief", signal: false });
    expect(before.preparation.tokensBefore).toBe(data.tokensBefore);
    expect(before.preparation.messagesToSummarize.map(({ role }: Frame) => role).slice(0, 2)).toEqual([
      "user",
      "assistant",
    ]);
    expect(before.branchEntries.at(-1).message.role).toBe("assistant");
    expect(before.preparation.firstKeptEntryId).toBe(data.firstKeptEntryId);
    const [{ compactionEntry, fromExtension }] = (await run.told("compacted")) as [Frame];
    expect(compactionEntry).toMatchObject({ type: "compaction", summary: data.summary });
    expect(fromExtension).toBe(false);
  });

  test("can cancel it, which leaves the conversation unchanged", async () => {
    await using run = await conversation(
      `${COMPACTED} pi.on("session_before_compact", () => ({ cancel: true })); pi.on("session_before_compact", () => note("asked", 1));`,
    );
    const answer = await run.rpc.call("compact");
    expect([answer.success, answer.error]).toEqual([false, "Compaction cancelled"]);
    const { messages } = (await run.rpc.call("get_messages")).data;
    expect([messages.length, run.server.requests.length, run.notes()]).toEqual([4, 2, []]);
    expect(run.rpc.frames.some(({ statusKey }) => statusKey === "compacted")).toBe(false);
  });

  test("can provide the summary; the last answer wins, and one without a summary is ignored", async () => {
    const own = (summary: string) => `pi.on("session_before_compact", ({ preparation }) => ({ compaction:
      { summary: ${summary}, firstKeptEntryId: preparation.firstKeptEntryId, tokensBefore: preparation.tokensBefore, details: { by: "me" } } }));`;
    await using run = await conversation(COMPACTED + own('"mine"') + own('"last"') + own("5"));
    const { data } = await run.rpc.call("compact");
    expect(data).toMatchObject({ summary: "last", details: { by: "me" } });
    expect(run.server.requests.length).toBe(2);
    expect(await run.told("compacted")).toMatchObject([{ fromExtension: true, compactionEntry: { summary: "last" } }]);
    expect(run.rpc.frames.filter(({ type }) => type === "extension_error")).toMatchObject([
      { event: "session_before_compact", error: "summary must be a string" },
    ]);
  });
});

test("session.compacting adds instructions and lines for the summarizer; the last answer wins", async () => {
  await using run = await conversation(
    `pi.on("session.compacting", (event, ctx) => { tell(ctx, "compacting", [event.sessionId, event.messages.length]); return { prompt: "FIRST" }; });
     pi.on("session.compacting", () => ({ prompt: "SUMMARIZE AS A POEM", context: ["remember the milk"] }));`,
  );
  const { sessionId } = (await run.rpc.call("get_state")).data;
  const { data } = await run.rpc.call("compact");
  const asked = JSON.stringify(run.server.requests[2]!.body.messages);
  const has = (text: string) => asked.includes(text);
  expect(["SUMMARIZE AS A POEM", "remember the milk", "FIRST"].map(has)).toEqual([true, true, false]);
  expect(data.summary).toContain("a summary");
  expect(await run.told("compacting")).toEqual([[sessionId, expect.any(Number)]]);
});

describe("navigation in the tree", () => {
  const GO = `pi.registerCommand("go", { handler: async (args, ctx) => {
    const target = ctx.sessionManager.getEntries().find(({ message }) => message?.role === "assistant");
    tell(ctx, "went", await ctx.navigateTree(target.id, args === "sum" ? { summarize: true } : {}));
  } });
  pi.on("session_tree", (event, ctx) => tell(ctx, "tree", event));`;
  const rows: [what: string, body: string, args: string, expected: object][] = [
    ["is reported", "", "", { cancelled: false, summary: undefined }],
    ["can be cancelled", `pi.on("session_before_tree", () => ({ cancel: true }));`, "", { cancelled: true }],
    [
      "can use a summary from the extension",
      `pi.on("session_before_tree", () => ({ summary: { summary: "left behind", details: { by: "me" } } }));`,
      "sum",
      { cancelled: false, summary: "left behind" },
    ],
  ];
  test.each(rows)("%s", async (_what, body, args, expected) => {
    await using run = await conversation(
      `${GO} pi.on("session_before_tree", ({ preparation, signal }, ctx) => tell(ctx, "before", { ...preparation, signal: signal.aborted })); ${body}`,
    );
    const { entries, leafId } = (await run.rpc.call("get_entries")).data;
    const target = entries.find(({ message }: Frame) => message?.role === "assistant").id;
    await run.rpc.call("prompt", { message: `/go ${args}` });
    const [{ cancelled }] = (await run.told("went")) as [Frame];
    expect(await run.told("before")).toMatchObject([
      {
        targetId: target,
        oldLeafId: leafId,
        commonAncestorId: target,
        userWantsSummary: args === "sum",
        signal: false,
      },
    ]);
    const [moved] = cancelled ? [] : await run.told("tree");
    expect({ cancelled, summary: moved?.summaryEntry?.summary }).toMatchObject(expected);
    if (moved) expect(moved).toMatchObject({ type: "session_tree", oldLeafId: leafId });
    else expect((await run.rpc.call("get_entries")).data.leafId).toBe(leafId);
  });
});
