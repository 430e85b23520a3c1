import { describe, expect, test } from "bun:test";
import { quiet } from "../../../agent/test/support/quiet.ts";
import type { EntryOf } from "../../../storage/src/entries/entries.ts";
import { texts } from "../../../storage/test/support/stores.ts";
import type { CompactionError } from "../../src/compaction/compaction-error.ts";
import { MissingKeyError } from "../../src/config/models/model-registry.ts";
import { eventWords, promptOf, testBench, until } from "../support/compaction/bench.ts";
import { answer, long, result, user } from "../support/compaction/messages.ts";

const forever = new Promise<never>(() => {});
const compactionsOf = (entries: readonly { type: string }[]) =>
  entries.filter(({ type }) => type === "compaction") as EntryOf<"compaction">[];

describe("compacting on request", () => {
  test("keeps the newest messages and replaces the rest with a summary", async () => {
    const { append, compactor, agent, events, manager } = testBench({
      settings: { "compaction.keepRecentTokens": 300 },
    });
    append(
      user(long(200, "m1")),
      answer(long(200, "m2")),
      user(long(200, "m3")),
      answer(long(200, "m4"), { tokens: 900 }),
    );
    const done = await compactor.compact();
    expect(texts(agent.messages)).toEqual(["[About m1 m2]", long(200, "m3"), long(200, "m4")]);
    const entry = compactionsOf(manager().entries())[0];
    expect(done).toEqual({
      summary: "About m1 m2",
      firstKeptEntryId: manager().path()[2]?.id as string,
      tokensBefore: 900,
      estimatedTokensAfter: 418,
      details: { readFiles: [], modifiedFiles: [], usage: expect.objectContaining({ input: 10, output: 5 }) },
    });
    const { estimatedTokensAfter: _after, ...stored } = done;
    expect(entry).toMatchObject(stored);
    expect(eventWords(events)).toEqual(["start manual", "end manual result"]);
  });

  test("works when it does not happen by itself", async () => {
    const { append, compactor } = testBench({ settings: { "compaction.enabled": false } });
    append(user("m1"), answer("m2"));
    expect((await compactor.compact()).summary).toContain("m1");
  });

  test("one turn is enough, however short", async () => {
    const { append, compactor, agent } = testBench();
    append(user("m1"), answer("m2"));
    await compactor.compact();
    expect(texts(agent.messages)).toEqual(["[## The current turn, up to the messages that follow\n\nAbout m1]", "m2"]);
  });

  test("an exchange whose prompt is negligible is summarized as a whole", async () => {
    const { append, compactor, agent, manager } = testBench();
    append(user("m1"), answer(""));
    const { firstKeptEntryId } = await compactor.compact();
    expect(firstKeptEntryId).toBe(manager().leafId as string);
    expect(agent.messages).toHaveLength(1);
  });

  test("instructions are the last thing the model reads", async () => {
    const { append, compactor, summaryRequests } = testBench();
    append(user("m1"), answer("m2"));
    await compactor.compact("the tests");
    expect(promptOf(summaryRequests[0] as (typeof summaryRequests)[0])).toEndWith("Additional focus: the tests");
  });

  test("state entries before the first kept message are kept with it", async () => {
    const { append, compactor, manager } = testBench({ settings: { "compaction.keepRecentTokens": 100 } });
    append(user(long(200)), answer(long(200)));
    const state = manager().appendModelChange({ provider: "p", modelId: "m" });
    manager().appendThinkingLevelChange("low");
    append(user(long(200)), answer(""));
    expect((await compactor.compact()).firstKeptEntryId).toBe(state.id);
  });

  test("the files of the calls are tracked over several compactions", async () => {
    const { append, compactor, summaryRequests } = testBench({ settings: { "compaction.keepRecentTokens": 1 } });
    const turn = (name: string, path: string) => {
      append(
        user("go"),
        answer("", { calls: [{ id: "c", name, arguments: { path } }] }),
        result("c", "ok"),
        answer("done"),
      );
    };
    turn("read", "a.ts");
    turn("edit", "b.ts");
    await compactor.compact();
    turn("read", "b.ts");
    turn("write", "a.ts");
    const { details, summary } = await compactor.compact();
    expect(details).toMatchObject({ readFiles: [], modifiedFiles: ["a.ts", "b.ts"] });
    expect(summary.match(/<modified-files>/g)).toHaveLength(1);
    expect(summaryRequests.map(promptOf).join("")).not.toContain("<modified-files>");
    expect(summary).toEndWith("<modified-files>\na.ts\nb.ts\n</modified-files>");
  });
});

describe("the second compaction", () => {
  test("has what the first one kept in its summary", async () => {
    const { append, compactor, agent, summaryRequests } = testBench({
      settings: { "compaction.keepRecentTokens": 150 },
    });
    append(user(long(100, "m1")), answer(long(100, "m2")), user(long(100, "m3")), answer(long(100, "m4")));
    await compactor.compact();
    append(user(long(100, "m5")), answer(long(100, "m6")));
    await compactor.compact();
    const prompt = promptOf(summaryRequests[1] as (typeof summaryRequests)[0]);
    expect(prompt).toContain("<previous-summary>\nAbout m1 m2\n</previous-summary>");
    expect(prompt).toContain("[User]: m3");
    expect(texts(agent.messages)).toEqual(["[About m3 m4 m1 m2]", long(100, "m5"), long(100, "m6")]);
  });

  test("in a turn that is split again keeps the summary of the history as it is", async () => {
    const { append, compactor, summaryRequests, agent } = testBench({
      settings: { "compaction.keepRecentTokens": 100 },
    });
    append(user(long(100, "m1")), answer(long(100, "m2")));
    append(user(long(100, "m3")), answer(long(100, "m4")));
    await compactor.compact();
    expect(summaryRequests).toHaveLength(2);
    expect(texts(agent.messages)[0]).toStartWith("[About m1 m2\n\n## The current turn");
    append(user(long(100, "m5")), answer(long(100, "m6")));
    await compactor.compact();
    expect(texts(agent.messages)[0]).toContain("m1");
  });

  test("of a split turn without new history reuses the earlier summary verbatim", async () => {
    const { append, compactor, summaryRequests, agent } = testBench({
      settings: { "compaction.keepRecentTokens": 200 },
      summaries: [[{ text: "THE STORY SO FAR" }], [{ text: "THE TURN" }]],
    });
    append(user(long(100, "m1")), answer(long(100, "m2")), user(long(100, "m3")), answer(long(100, "m4")));
    await compactor.compact();
    append(answer(long(200, "m5")));
    await compactor.compact();
    expect(summaryRequests).toHaveLength(2);
    expect(texts(agent.messages)[0]).toBe(
      "[THE STORY SO FAR\n\n## The current turn, up to the messages that follow\n\nTHE TURN]",
    );
  });
});

describe("messages that arrive in the meantime", () => {
  test("stays after the cut", async () => {
    const gate = Promise.withResolvers<void>();
    const { append, compactor, agent } = testBench({
      settings: { "compaction.keepRecentTokens": 100 },
      summaries: [[{ wait: gate.promise }, { text: "S" }]],
    });
    append(user(long(100, "m1")), answer(long(100, "m2")), user(long(100, "m3")), answer(""));
    const running = compactor.compact();
    await quiet();
    append(user("m4"));
    gate.resolve();
    await running;
    expect(texts(agent.messages)).toEqual(["[S]", long(100, "m3"), "", "m4"]);
  });

  test("stays also when nothing else is kept", async () => {
    const gate = Promise.withResolvers<void>();
    const { append, compactor, agent, manager } = testBench({ summaries: [[{ wait: gate.promise }, { text: "S" }]] });
    append(user("m1"), answer(""));
    const running = compactor.compact();
    await quiet();
    const state = manager().appendModelChange({ provider: "p", modelId: "m" });
    append(user("m4"));
    gate.resolve();
    expect((await running).firstKeptEntryId).toBe(state.id);
    expect(texts(agent.messages)).toEqual(["[S]", "m4"]);
  });

  test("a change of the model alone is nothing to keep", async () => {
    const gate = Promise.withResolvers<void>();
    const { append, compactor, manager } = testBench({ summaries: [[{ wait: gate.promise }, { text: "S" }]] });
    append(user("m1"), answer(""));
    const running = compactor.compact();
    await quiet();
    manager().appendModelChange({ provider: "p", modelId: "m" });
    gate.resolve();
    expect((await running).firstKeptEntryId).toBe(manager().leafId as string);
  });

  test.each<[string, (bench: ReturnType<typeof testBench>) => void]>([
    ["another branch", ({ manager }) => manager().moveLeaf(manager().path()[0]?.id ?? null)],
    ["another session", ({ open, manager }) => open(manager().clone())],
  ])("nothing is written if the conversation continues in %s", async (_name, leave) => {
    const gate = Promise.withResolvers<void>();
    const bench = testBench({ summaries: [[{ wait: gate.promise }, { text: "S" }]] });
    bench.append(user("m1"), answer("m2"));
    const before = bench.manager();
    const running = bench.compactor.compact();
    await quiet();
    leave(bench);
    gate.resolve();
    await expect(running).rejects.toThrow("Compaction cancelled");
    expect(compactionsOf([...before.entries(), ...bench.manager().entries()])).toEqual([]);
  });
});

describe("errors", () => {
  const failure = async (bench: ReturnType<typeof testBench>) => {
    const entries = [...bench.manager().entries()];
    const messages = [...bench.agent.messages];
    const error = await bench.compactor.compact().catch((reason: CompactionError) => reason);
    expect(bench.manager().entries()).toEqual(entries);
    expect(bench.agent.messages).toEqual(messages);
    expect(bench.compactor.isCompacting).toBe(false);
    const { message, code } = error as CompactionError;
    return { message, code, events: eventWords(bench.events) };
  };

  test("there was no message", async () => {
    expect(await failure(testBench())).toEqual({
      message: "Nothing to compact (session too small)",
      code: "nothing",
      events: ["start manual", "end manual Compaction failed: Nothing to compact (session too small)"],
    });
  });

  test.each([
    ["nobody answered", [user("m1")]],
    ["the answer failed", [user("m1"), answer("", { stopReason: "error" })]],
    ["the answer was aborted", [user("m1"), answer("half", { stopReason: "aborted" })]],
  ])("%s", async (_name, messages) => {
    const bench = testBench();
    bench.append(...messages);
    expect((await failure(bench)).message).toBe("Nothing to compact (session too small)");
  });

  test("compacted already", async () => {
    const bench = testBench();
    bench.append(user("m1"), answer("m2"));
    await bench.compactor.compact();
    expect((await failure(bench)).message).toBe("Already compacted");
    bench.append(user("m3"));
    expect((await failure(bench)).message).toBe("Nothing to compact (session too small)");
  });

  test("no model", async () => {
    const bench = testBench();
    bench.append(user("m1"), answer("m2"));
    bench.model.current = undefined;
    expect(await failure(bench)).toMatchObject({ message: "No model selected", code: "no_model" });
  });

  test("no key", async () => {
    const requestSetup = async () => {
      throw new MissingKeyError("test");
    };
    const bench = testBench({ parts: { requestSetup } });
    bench.append(user("m1"), answer("m2"));
    expect(await failure(bench)).toMatchObject({ message: "No API key for test", code: "no_credentials" });
  });

  test("no summary", async () => {
    const bench = testBench({ summaries: [[{ fail: "refused", message: "unsafe" }]] });
    bench.append(user("m1"), answer("m2"));
    expect(await failure(bench)).toEqual({
      message: "Summarization failed: unsafe",
      code: "failed",
      events: ["start manual", "end manual Compaction failed: unsafe"],
    });
  });

  test("if one of the two summaries of a split turn fails, the other request is stopped", async () => {
    const bench = testBench({
      settings: { "compaction.keepRecentTokens": 100 },
      summaries: [[{ wait: forever }], [{ fail: "refused", message: "unsafe" }]],
    });
    bench.append(user(long(100, "m1")), answer(long(100, "m2")), user(long(100, "m3")), answer(long(100, "m4")));
    expect((await failure(bench)).message).toBe("Summarization failed: unsafe");
    expect(bench.summaryRequests.map(({ options }) => options.signal?.aborted)).toEqual([true, true]);
  });

  test("aborted", async () => {
    const bench = testBench({ summaries: [[{ text: "half" }, { wait: forever }]] });
    bench.append(user("m1"), answer("m2"));
    const failed = failure(bench);
    await quiet();
    expect(bench.compactor.isCompacting).toBe(true);
    await bench.compactor.abort();
    expect(await failed).toEqual({
      message: "Compaction cancelled",
      code: "cancelled",
      events: ["start manual", "end manual aborted"],
    });
  });

  test("a session that cannot be written", async () => {
    const bench = testBench();
    bench.append(user("m1"), answer("m2"));
    bench.manager().close();
    expect((await failure(bench)).events.at(-1)).toStartWith("end manual Compaction failed");
  });
});

describe("at the same time", () => {
  const SMALL = { "compaction.thresholdTokens": 500, "compaction.keepRecentTokens": 100 };

  test("an automatic compaction makes way", async () => {
    const bench = testBench({ settings: SMALL, summaries: [[{ wait: forever }], [{ text: "S" }]] });
    bench.append(user(long(300, "m1")), answer(long(300, "m2")), user(long(300, "m3")), answer(""));
    const after = bench.compactor.afterRun("stop");
    await until(() => bench.compactor.isCompacting);
    await bench.compactor.compact();
    await after;
    expect(eventWords(bench.events)).toEqual([
      "start threshold",
      "end threshold aborted",
      "start manual",
      "end manual result",
    ]);
    expect(compactionsOf(bench.manager().entries())).toHaveLength(1);
  });

  test("an abort also reaches the waiting one", async () => {
    const bench = testBench({ summaries: [[{ wait: forever }]] });
    bench.append(user("m1"), answer("m2"));
    const both = [bench.compactor.compact(), bench.compactor.compact()];
    for (const one of both) one.catch(() => {});
    await quiet();
    await bench.compactor.abort();
    for (const one of both) await expect(one).rejects.toThrow("Compaction cancelled");
    expect(eventWords(bench.events)).toEqual(["start manual", "end manual aborted"]);
    expect(bench.summaryRequests).toHaveLength(1);
  });

  test("a second request waits for the first", async () => {
    const gate = Promise.withResolvers<void>();
    const bench = testBench({ summaries: [[{ wait: gate.promise }, { text: "S" }]] });
    bench.append(user("m1"), answer("m2"));
    const first = bench.compactor.compact();
    const second = bench.compactor.compact();
    second.catch(() => {});
    await quiet();
    gate.resolve();
    expect((await first).summary).toContain("S");
    await expect(second).rejects.toThrow("Already compacted");
  });
});
