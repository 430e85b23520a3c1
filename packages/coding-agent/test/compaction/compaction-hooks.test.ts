import { describe, expect, test } from "bun:test";
import { quiet } from "../../../agent/test/support/quiet.ts";
import type { EntryOf } from "../../../storage/src/entries/entries.ts";
import { texts } from "../../../storage/test/support/stores.ts";
import type { CompactionHooks } from "../../src/compaction/compaction-hooks.ts";
import { promptOf, testBench } from "../support/compaction/bench.ts";
import { answer, long, user } from "../support/compaction/messages.ts";

function bench(hooks: CompactionHooks) {
  const made = testBench({ settings: { "compaction.keepRecentTokens": 100 }, hooks });
  made.append(user(long(100, "m1")), answer(long(100, "m2")), user(long(100, "m3")), answer(long(100, "m4")));
  return made;
}

const compactionOf = (made: ReturnType<typeof testBench>) => made.manager().path().at(-1) as EntryOf<"compaction">;

describe("before a compaction", () => {
  test("a hook receives the plan", async () => {
    let seen: Parameters<NonNullable<CompactionHooks["beforeCompact"]>>[0] | undefined;
    const made = bench({
      beforeCompact: (event) => {
        seen = event;
        return undefined;
      },
    });
    const path = made.manager().path();
    await made.compactor.compact("focus");
    expect(texts(seen?.preparation.messagesToSummarize ?? [])).toEqual([long(100, "m1"), long(100, "m2")]);
    expect(texts(seen?.preparation.turnPrefixMessages ?? [])).toEqual([long(100, "m3")]);
    expect(seen?.preparation).toMatchObject({
      isSplitTurn: true,
      firstKeptEntryId: path[3]?.id,
      tokensBefore: compactionOf(made).tokensBefore,
      fileOps: { readFiles: [], modifiedFiles: [] },
      settings: { reserveTokens: 16_384, keepRecentTokens: 100 },
    });
    expect(seen?.branchEntries).toEqual([...path]);
    expect(seen?.customInstructions).toBe("focus");
    expect(seen?.signal.aborted).toBe(false);
  });

  test("a hook may object", async () => {
    const made = bench({ beforeCompact: async () => ({ cancel: true }) });
    await expect(made.compactor.compact()).rejects.toThrow("Compaction cancelled");
    expect(made.summaryRequests).toEqual([]);
  });

  test("a hook may summarize itself, and choose what is kept", async () => {
    const made: ReturnType<typeof testBench> = bench({
      beforeCompact: ({ branchEntries }) => ({
        compaction: {
          summary: "MINE",
          shortSummary: "M",
          firstKeptEntryId: branchEntries[2]?.id ?? "",
          details: { mine: 1 },
        },
      }),
    });
    const result = await made.compactor.compact();
    expect(made.summaryRequests).toEqual([]);
    expect(texts(made.agent.messages)).toEqual(["[MINE]", long(100, "m3"), long(100, "m4")]);
    expect(result).toMatchObject({ summary: "MINE", shortSummary: "M", details: { mine: 1 } });
    expect(compactionOf(made)).toMatchObject({ fromExtension: true, fromHook: true });
  });

  test("an entry that is not in this conversation is ignored", async () => {
    const made = bench({ beforeCompact: () => ({ compaction: { summary: "MINE", firstKeptEntryId: "nowhere" } }) });
    await made.compactor.compact();
    expect(texts(made.agent.messages)).toEqual(["[MINE]", long(100, "m4")]);
  });

  test("an empty summary counts as no answer", async () => {
    const made = bench({ beforeCompact: () => ({ compaction: { summary: " " } }) });
    expect((await made.compactor.compact()).summary).toContain("About m1");
  });

  test("a hook that never answers does not delay an abort", async () => {
    const made = bench({ beforeCompact: () => new Promise(() => {}) });
    const running = made.compactor.compact();
    running.catch(() => {});
    await quiet();
    await made.compactor.abort();
    await expect(running).rejects.toThrow("Compaction cancelled");
    expect(made.hookErrors).toEqual([]);
  });
});

describe("for the summary", () => {
  test("a hook may add lines, replace the instructions, and store data", async () => {
    const made = bench({
      compacting: ({ sessionId, messages }) => ({
        context: [`session ${sessionId}`, `${messages.length} messages`],
        prompt: "JUST A HAIKU",
        preserveData: { kept: true },
      }),
    });
    const result = await made.compactor.compact();
    const [history, prefix] = made.summaryRequests.map(promptOf);
    expect(history).toEndWith("JUST A HAIKU");
    expect(history).toContain(`session ${made.manager().sessionId}\n3 messages`);
    expect(prefix).not.toContain("HAIKU");
    expect(result.preserveData).toEqual({ kept: true });
    expect(compactionOf(made).preserveData).toEqual({ kept: true });
  });
});

test("afterwards a hook is notified of what was stored, without being awaited", async () => {
  const stored: unknown[] = [];
  const made = bench({
    compacted: (event) => {
      stored.push(event);
      return new Promise(() => {});
    },
  });
  await made.compactor.compact();
  expect(stored).toEqual([
    { compactionEntry: compactionOf(made), fromExtension: false, reason: "manual", willRetry: false },
  ]);
});

test("hooks that fail are reported and count as no answer", async () => {
  const fail = (name: string) => () => {
    throw new Error(name);
  };
  const made = bench({ beforeCompact: fail("one"), compacting: fail("two"), compacted: fail("three") });
  expect((await made.compactor.compact()).summary).toContain("About m1");
  await quiet();
  expect(made.hookErrors).toEqual(["beforeCompact: one", "compacting: two", "compacted: three"]);
});
