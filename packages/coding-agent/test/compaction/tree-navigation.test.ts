import { describe, expect, test } from "bun:test";
import { quiet } from "../../../agent/test/support/quiet.ts";
import { texts } from "../../../storage/test/support/stores.ts";
import { type BenchOptions, promptOf, testBench } from "../support/compaction/bench.ts";
import { answer, custom, long, result, user } from "../support/compaction/messages.ts";

function bench(options: BenchOptions = {}) {
  const made = testBench(options);
  made.append(user("m1"), answer("m2"), user("m3"), answer("m4", { calls: ["c"] }), result("c", "m5"), answer("m6"));
  const ids = made
    .manager()
    .path()
    .map(({ id }) => id);
  return { ...made, ids };
}

describe("going to another place of the tree", () => {
  test("a user message is returned for editing", async () => {
    const { compactor, ids, agent, manager } = bench();
    expect(await compactor.navigate(ids[2] as string)).toEqual({ leafId: ids[1] as string, text: "m3" });
    expect(manager().leafId).toBe(ids[1] as string);
    expect(texts(agent.messages)).toEqual(["m1", "m2"]);
  });

  test("the very first message leads to an empty conversation", async () => {
    const { compactor, ids, agent } = bench();
    expect(await compactor.navigate(ids[0] as string)).toEqual({ leafId: null, text: "m1" });
    expect(agent.messages).toEqual([]);
  });

  test("a note of an extension is given back too", async () => {
    const { compactor, append, manager } = testBench();
    append(user("m1"), answer("m2"), custom("m3"), answer("m4"));
    const [, second, third] = manager().path();
    expect(await compactor.navigate(third?.id ?? "")).toEqual({ leafId: second?.id ?? "", text: "m3" });
  });

  test("the conversation continues from any other entry", async () => {
    const { compactor, ids, agent } = bench();
    expect(await compactor.navigate(ids[1] as string)).toEqual({ leafId: ids[1] as string });
    expect(texts(agent.messages)).toEqual(["m1", "m2"]);
  });

  test("nowhere", async () => {
    const { compactor, manager, ids } = bench();
    await expect(compactor.navigate("nowhere")).rejects.toMatchObject({
      message: "Entry not found: nowhere",
      code: "not_found",
    });
    expect(manager().leafId).toBe(ids.at(-1) as string);
  });
});

describe("a summary of what is left behind", () => {
  test("is at the new position", async () => {
    const { compactor, ids, agent, manager, summaryRequests } = bench();
    const { summaryEntry } = await compactor.navigate(ids[1] as string, {
      summarize: true,
      customInstructions: "FOCUS",
    });
    expect(summaryEntry).toMatchObject({
      type: "branch_summary",
      parentId: ids[1],
      fromId: ids[1],
      summary: "About m3 m4 m5 m6",
      details: { readFiles: [], modifiedFiles: [] },
    });
    expect(texts(agent.messages)).toEqual(["m1", "m2", "[About m3 m4 m5 m6]"]);
    expect(manager().leafId).toBe(summaryEntry?.id ?? "");
    expect(promptOf(summaryRequests[0] as (typeof summaryRequests)[0])).toEndWith("Additional focus: FOCUS");
  });

  test("at the root it says so", async () => {
    const { compactor, ids } = bench();
    const { summaryEntry } = await compactor.navigate(ids[0] as string, { summarize: true });
    expect(summaryEntry).toMatchObject({ parentId: null, fromId: "root" });
  });

  test("is made when the setting says so", async () => {
    const { compactor, ids, summaryRequests } = bench({ settings: { "branchSummary.enabled": true } });
    await compactor.navigate(ids[1] as string);
    expect(summaryRequests).toHaveLength(1);
    await compactor.navigate(ids[3] as string, { summarize: false });
    expect(summaryRequests).toHaveLength(1);
  });

  test("is not made of nothing", async () => {
    const { compactor, ids, summaryRequests } = bench();
    await compactor.navigate(ids.at(-1) as string, { summarize: true });
    expect(summaryRequests).toHaveLength(0);
  });

  test("reports what is repeated when the model fails", async () => {
    const { compactor, ids, events, clock } = bench({ summaries: [[{ fail: "overloaded" }], [{ text: "fine" }]] });
    const moved = compactor.navigate(ids[1] as string, { summarize: true });
    await quiet();
    clock.advance(60_000);
    expect((await moved).summaryEntry?.summary).toContain("fine");
    expect(events.slice(1)).toEqual([
      { type: "summarization_retry_attempt_start", source: "branchSummary" },
      { type: "summarization_retry_finished" },
    ]);
  });

  test("is about the newest part when there is too much", async () => {
    const { compactor, append, manager, summaryRequests } = testBench();
    append(user("m0"));
    for (let n = 1; n < 40; n += 1) append(answer(long(5_000, `m${n}`)));
    await compactor.navigate(manager().path()[0]?.id ?? "", { summarize: true });
    const prompt = promptOf(summaryRequests[0] as (typeof summaryRequests)[0]);
    expect(summaryRequests).toHaveLength(1);
    expect(prompt).toContain("m39");
    expect(prompt).not.toContain("m10");
  });

  test("includes what was compacted on the branch", async () => {
    const { compactor, append, manager } = testBench({ settings: { "compaction.keepRecentTokens": 1 } });
    append(user("m1"), answer("m2"), user("m3"), answer("m4"));
    const target = manager().path()[1]?.id ?? "";
    await compactor.compact();
    append(user("m5"), answer("m6"));
    const { summaryEntry } = await compactor.navigate(target, { summarize: true });
    for (const mark of ["m3", "m4", "m5", "m6"]) expect(summaryEntry?.summary).toContain(mark);
  });
});

describe("instructions for the summary", () => {
  const labelsOf = ({ manager }: ReturnType<typeof bench>) =>
    [...manager().labels].map(([id, { label }]) => [manager().entry(id)?.type, label]);

  test("a label is for the summary, or else for the entry that was chosen", async () => {
    const summarized = bench();
    await summarized.compactor.navigate(summarized.ids[1] as string, { summarize: true, label: "old way" });
    expect(labelsOf(summarized)).toEqual([["branch_summary", "old way"]]);
    const plain = bench();
    const { leafId } = await plain.compactor.navigate(plain.ids[1] as string, { label: "here" });
    expect(labelsOf(plain)).toEqual([["message", "here"]]);
    expect(plain.manager().entry(leafId as string)?.type).toBe("label");
    expect(texts(plain.agent.messages)).toEqual(["m1", "m2"]);
  });

  test("instructions are added to ours, or replace them", async () => {
    const prompts = [];
    for (const replaceInstructions of [false, true]) {
      const { compactor, ids, summaryRequests } = bench();
      await compactor.navigate(ids[1] as string, {
        summarize: true,
        customInstructions: "WORDS",
        replaceInstructions,
      });
      prompts.push(promptOf(summaryRequests[0]!));
    }
    const [beside, instead] = prompts as [string, string];
    expect([beside.includes("WORDS"), instead.includes("WORDS")]).toEqual([true, true]);
    expect(instead.length).toBeLessThan(beside.length);
  });

  test("a hook receives what was requested, and its answer wins; what it omits stays", async () => {
    const heard: unknown[] = [];
    const made = bench({
      hooks: {
        beforeTree({ preparation: { customInstructions, replaceInstructions, label } }) {
          heard.push({ customInstructions, replaceInstructions, label });
          return { customInstructions: "OTHERS", label: undefined } as never;
        },
      },
    });
    const options = { summarize: true, customInstructions: "WORDS", replaceInstructions: true, label: "mine" };
    await made.compactor.navigate(made.ids[1] as string, options);
    const { summarize: _, ...wanted } = options;
    expect(heard).toEqual([wanted]);
    const prompt = promptOf(made.summaryRequests[0]!);
    expect([prompt.includes("OTHERS"), prompt.includes("WORDS")]).toEqual([true, false]);
    expect(labelsOf(made)).toEqual([["branch_summary", "mine"]]);
  });
});

describe("what stops it leaves everything as it was", () => {
  const unchanged = async (made: ReturnType<typeof bench>, running: Promise<unknown>) => {
    const entries = [...made.manager().entries()];
    await expect(running).rejects.toThrow("Compaction cancelled");
    expect(made.manager().entries()).toEqual(entries);
    expect(made.manager().leafId).toBe(made.ids.at(-1) as string);
    expect(texts(made.agent.messages)).toHaveLength(6);
    expect(made.compactor.isCompacting).toBe(false);
  };

  test("an abort", async () => {
    const made = bench({ summaries: [[{ wait: new Promise(() => {}) }]] });
    const running = made.compactor.navigate(made.ids[1] as string, { summarize: true });
    running.catch(() => {});
    await quiet();
    expect(made.compactor.isCompacting).toBe(true);
    await made.compactor.abort();
    await unchanged(made, running);
  });

  test.each<[string, (made: ReturnType<typeof bench>) => void]>([
    ["said meanwhile", ({ append }) => append(user("m7"))],
    ["another session meanwhile", ({ open, manager }) => open(manager().clone())],
  ])("something %s", async (_name, leave) => {
    const gate = Promise.withResolvers<void>();
    const made = bench({ summaries: [[{ wait: gate.promise }, { text: "S" }]] });
    const running = made.compactor.navigate(made.ids[1] as string, { summarize: true });
    running.catch(() => {});
    await quiet();
    leave(made);
    const leafId = made.manager().leafId;
    gate.resolve();
    await expect(running).rejects.toThrow("Compaction cancelled");
    expect(made.manager().leafId).toBe(leafId);
  });

  test("a hook that objects", async () => {
    const made = bench({ hooks: { beforeTree: () => ({ cancel: true }) } });
    await unchanged(made, made.compactor.navigate(made.ids[1] as string, { summarize: true }));
  });
});

describe("hooks", () => {
  test("may write the summary", async () => {
    const moved: unknown[] = [];
    const made: ReturnType<typeof bench> = bench({
      hooks: {
        beforeTree: ({ preparation }) => {
          expect(preparation).toMatchObject({ userWantsSummary: false, entriesToSummarize: { length: 4 } });
          expect(preparation.commonAncestorId).toBe(preparation.targetId);
          return { summary: { summary: "MINE", details: 1 } };
        },
        treeMoved: (event) => {
          moved.push(event);
        },
      },
    });
    const { summaryEntry } = await made.compactor.navigate(made.ids[1] as string);
    expect(summaryEntry).toMatchObject({ summary: "MINE", details: 1, fromExtension: true });
    const [oldLeafId, newLeafId] = [made.ids.at(-1), summaryEntry?.id];
    expect(moved).toEqual([{ newLeafId, oldLeafId, summaryEntry, fromExtension: true }]);
    expect(made.hookErrors).toEqual([]);
  });

  test("may replace the instructions", async () => {
    const { compactor, ids, summaryRequests } = bench({
      hooks: { beforeTree: () => ({ customInstructions: "JUST A HAIKU", replaceInstructions: true }) },
    });
    await compactor.navigate(ids[1] as string, { summarize: true });
    expect(promptOf(summaryRequests[0] as (typeof summaryRequests)[0])).toEndWith("</conversation>\n\nJUST A HAIKU");
  });
});
