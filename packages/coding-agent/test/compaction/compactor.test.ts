import { describe, expect, test } from "bun:test";
import { buildContext } from "@pintle/agent";
import { estimateTextTokens } from "@pintle/ai";
import { microtasks, quiet } from "../../../agent/test/support/quiet.ts";
import { makeTool, ok } from "../../../agent/test/support/tools.ts";
import { texts } from "../../../storage/test/support/stores.ts";
import type { CompactionEvent } from "../../src/compaction/compaction-types.ts";
import { eventWords, MODEL, marks, promptOf, type TestBench, testBench, until } from "../support/compaction/bench.ts";
import { answer, long, result, user } from "../support/compaction/messages.ts";

const tools = [makeTool("bash", async () => ok(long(100, "output")))];
const call = { call: "bash" } as const;
const forever = new Promise<never>(() => {});
/** The threshold is 1000 tokens, of which about 300 are kept. */
const SMALL = { "compaction.thresholdTokens": 1_000, "compaction.keepRecentTokens": 300 };
const ends = (events: readonly { type: string }[]) =>
  events.filter((event) => event.type === "auto_compaction_end") as Extract<
    CompactionEvent,
    { type: "auto_compaction_end" }
  >[];

describe("when the threshold is passed", () => {
  test("in the middle of a run, it compacts before the next model call", async () => {
    const { run, events, requests } = testBench({
      settings: SMALL,
      tools,
      answers: [[{ text: long(300, "first") }, call], [{ text: long(300, "second") }, call], [{ text: "done" }]],
      usage: [500, 1_200, 300],
    });
    await run(long(300, "question"));
    const words = eventWords(events).filter((word) => !word.startsWith("tool_"));
    expect(words).toEqual([
      "agent_start",
      "turn_start",
      "turn_end",
      "turn_start",
      "turn_end",
      "start threshold",
      "end threshold result",
      "turn_start",
      "turn_end",
      "agent_end",
    ]);
    const last = texts((requests[2] as (typeof requests)[0]).context.messages);
    expect(last[0]).toContain("<summary>");
    expect(last.join("")).not.toContain("question");
  });

  test("after the final answer, it compacts when the run is over", async () => {
    const { run, events, compactor, manager } = testBench({
      settings: SMALL,
      answers: [[{ text: long(400, "answer") }]],
      usage: [1_001],
    });
    await run(long(400, "question"));
    expect(eventWords(events).slice(-3)).toEqual(["agent_end", "start threshold", "end threshold result"]);
    expect(manager().path().at(-1)?.type).toBe("compaction");
    expect(compactor.isCompacting).toBe(false);
  });

  test("a message that the user sends in the meantime is delivered afterwards", async () => {
    const bench: TestBench = testBench({
      settings: SMALL,
      tools,
      answers: [[{ text: long(600) }, call], [{ text: "done" }]],
      summaries: [
        (context) => {
          bench.agent.queue.steer({ role: "user", content: "meanwhile", timestamp: bench.clock.now() });
          return [{ text: `About ${context.messages.length}` }];
        },
      ],
      usage: [2_000, 10],
    });
    await bench.run("question");
    const last = bench.requests[1] as (typeof bench.requests)[0];
    expect(texts(last.context.messages).at(-1)).toBe("meanwhile");
    expect(bench.agent.messages).toEqual(bench.manager().buildContext().messages);
  });

  test("a history that does not fit the model is summarized in pieces that do", async () => {
    const window = 20_000;
    const { append, compactor, summaryRequests, agent } = testBench({ model: { ...MODEL, contextWindow: window } });
    for (let n = 0; n < 40; n += 1) append(user(long(1_500, `m${n}`)), answer(long(10, "ok")));
    await compactor.afterRun("stop");
    expect(summaryRequests.length).toBeGreaterThan(3);
    for (const { context, options } of summaryRequests) {
      const input = estimateTextTokens(promptOf({ context }) + context.systemPrompt);
      expect(input + (options.maxTokens ?? 0)).toBeLessThanOrEqual(window);
    }
    const told = marks(texts(agent.messages).join(" "));
    expect(told.sort()).toEqual(Array.from({ length: 40 }, (_, n) => `m${n}`).sort());
  });

  test("exactly at the threshold nothing happens", async () => {
    const { run, events } = testBench({ settings: SMALL, answers: [[{ text: "a" }]], usage: [1_000] });
    await run("question");
    expect(ends(events)).toEqual([]);
  });

  test("before a prompt, even if the last answer was aborted", async () => {
    const { run, events, append } = testBench({ settings: SMALL, answers: [[{ text: "a" }]], usage: [100] });
    append(user(long(600)), answer(long(600), { stopReason: "aborted" }));
    await run("question");
    expect(eventWords(events).slice(0, 3)).toEqual(["start threshold", "end threshold result", "agent_start"]);
  });

  test("a session that only ever failed is compacted by its estimate", async () => {
    const { run, events, append } = testBench({ settings: SMALL, answers: [[{ fail: "auth" }]] });
    append(user(long(600)), user(long(600)));
    await run("question");
    expect(ends(events)).toHaveLength(1);
  });

  test("nothing happens after an aborted run", async () => {
    const { compactor, append, events } = testBench({ settings: SMALL });
    append(user(long(600)), answer(long(600)));
    await compactor.afterRun("aborted");
    expect(events).toEqual([]);
    await compactor.afterRun("stop");
    expect(ends(events)).toHaveLength(1);
  });

  test("an old token count of what was kept does not trigger it again", async () => {
    const { run, compactor, events, append } = testBench({ settings: SMALL, answers: [[{ text: "a" }]], usage: [100] });
    append(user(long(600)), answer(long(200), { tokens: 50_000 }));
    await compactor.afterRun("stop");
    await compactor.afterRun("stop");
    await run("next");
    expect(ends(events)).toHaveLength(1);
  });

  test("what is sent besides messages does not trigger it again either", async () => {
    const { compactor, events, append } = testBench({
      settings: SMALL,
      parts: { overheadTokens: () => estimateTextTokens(long(2_000)) },
    });
    append(user(long(600)), answer(long(400)));
    await compactor.afterRun("stop");
    await compactor.beforePrompt(new AbortController().signal);
    expect(ends(events)).toHaveLength(1);
  });

  test.each([{ "compaction.enabled": false }, { "compaction.strategy": "off" }])("switched off by %p", async (off) => {
    const { run, events, compactor } = testBench({
      settings: { ...SMALL, ...off },
      answers: [[{ text: long(600) }], [{ text: "a" }]],
      usage: [2_000, 10],
    });
    expect(compactor.enabled).toBe(false);
    await run(long(600));
    expect(ends(events)).toEqual([]);
    compactor.enabled = true;
    await run("again");
    expect(ends(events)).toHaveLength(1);
  });

  test("a session that cannot be written is not compacted", async () => {
    const { append, compactor, manager, events, summaryRequests } = testBench({ settings: SMALL });
    append(user(long(600)), answer(long(600)));
    manager().close();
    await compactor.afterRun("stop");
    expect([events, summaryRequests]).toEqual([[], []]);
  });

  test("an unknown window is never full", async () => {
    const { run, events } = testBench({
      model: { ...MODEL, contextWindow: 0 },
      settings: SMALL,
      answers: [[{ text: "a" }]],
      usage: [9_000_000],
    });
    await run("question");
    expect(ends(events)).toEqual([]);
  });

  test("a kept part that would pass the threshold itself is made smaller", async () => {
    const { append, compactor, agent } = testBench({
      settings: { "compaction.thresholdTokens": 1_000, "compaction.keepRecentTokens": 4_000 },
    });
    for (let n = 0; n < 10; n += 1) append(user(long(250, `m${n}`)), answer(long(250, `m${n}`)));
    await compactor.afterRun("stop");
    expect(agent.messages.slice(1)).toHaveLength(2);
  });

  test("tokens that the provider counts and we do not see make the kept part smaller", async () => {
    const bench = (tokens: number) => {
      const settings = { "compaction.thresholdTokens": 1_900, "compaction.keepRecentTokens": 800 };
      const { append, compactor, agent } = testBench({ settings });
      for (let n = 0; n < 10; n += 1) append(user(long(200)), answer("", { tokens: n === 9 ? tokens : 1 }));
      return compactor.afterRun("stop").then(() => agent.messages.filter(({ role }) => role === "user").length);
    };
    expect(await bench(1_950)).toBe(4);
    expect(await bench(4_100)).toBe(2);
  });
});

describe("an automatic compaction without effect", () => {
  const failing = [{ fail: "auth", message: "bad key" }] as const;

  test("says why and lets the run continue", async () => {
    const { run, events, requests } = testBench({
      settings: SMALL,
      tools,
      answers: [[{ text: long(600) }, call], [{ text: "done" }]],
      summaries: [failing],
      usage: [2_000],
    });
    await run("question");
    expect(eventWords(events)).toContain("end threshold Auto-compaction failed: bad key");
    expect(requests).toHaveLength(2);
  });

  test("is not retried until the conversation has grown by 5 % or a prompt arrives", async () => {
    const { run, events, summaryRequests } = testBench({
      settings: SMALL,
      tools,
      answers: [
        ...Array.from({ length: 3 }, () => [{ text: long(600) }, call] as const),
        [{ text: "done" }],
        [{ text: "again" }],
      ],
      summaries: [failing, failing, failing],
      usage: [10_000, 10_300, 10_600, 10_600],
    });
    await run("question");
    expect(summaryRequests).toHaveLength(2);
    await run("next");
    expect(summaryRequests).toHaveLength(3);
    expect(ends(events).every(({ errorMessage }) => errorMessage === "Auto-compaction failed: bad key")).toBe(true);
  });

  test("nothing is emitted or asked if system prompt and tools fill the window", async () => {
    const { run, events, summaryRequests } = testBench({
      settings: { ...SMALL, "compaction.keepRecentTokens": 90_000, "compaction.thresholdTokens": 80_000 },
      tools,
      answers: [[{ text: "a" }, call], [{ text: "done" }]],
      usage: [90_000],
      parts: { overheadTokens: () => estimateTextTokens(long(90_000)) },
    });
    await run("question");
    expect([ends(events), summaryRequests]).toEqual([[], []]);
  });

  test("a hook that objects ends it", async () => {
    const { run, events, manager } = testBench({
      settings: SMALL,
      tools,
      answers: [[{ text: long(600) }, call], [{ text: "done" }]],
      usage: [2_000],
      hooks: { beforeCompact: () => ({ cancel: true }) },
    });
    await run("question");
    expect(eventWords(events).filter((word) => word.startsWith("end"))).toEqual(["end threshold aborted"]);
    expect(
      manager()
        .entries()
        .some(({ type }) => type === "compaction"),
    ).toBe(false);
  });
});

describe("when a request did not fit", () => {
  const overflow = [{ fail: "overflow", message: "prompt is too long" }] as const;

  test("it compacts and repeats the request in the same run", async () => {
    const { run, events, requests, append, agent } = testBench({
      settings: SMALL,
      answers: [overflow, [{ text: "done" }]],
    });
    append(user(long(300, "m1")), answer(long(300, "m2")));
    await run("question");
    expect(eventWords(events)).toEqual([
      "agent_start",
      "turn_start",
      "turn_end",
      "start overflow",
      "end overflow result willRetry",
      "turn_start",
      "turn_end",
      "agent_end",
    ]);
    const [first, second] = requests.map(({ context }) => texts(context.messages).join("\n"));
    expect(first).toContain("m1");
    expect(second).toContain("About m1");
    expect(second).toEndWith("question");
    const end = events.find((event) => event.type === "agent_end");
    expect(JSON.stringify([end, agent.messages])).not.toContain("too long");
  });

  test("once per run; the second time it says so and the run ends with the error", async () => {
    const { run, events, append } = testBench({
      settings: SMALL,
      answers: [overflow, overflow, overflow, [{ text: "done" }]],
    });
    append(user(long(300)), answer(long(300)));
    await run("question");
    const words = eventWords(events);
    expect(words.slice(-3)).toEqual([
      "start overflow",
      expect.stringMatching(/^end overflow Context overflow recovery failed after one compact-and-retry attempt/),
      "agent_end",
    ]);
    expect(events.at(-1)).toMatchObject({ type: "agent_end", stopReason: "error" });
    append(user(long(300)), answer(long(300)));
    await run("another run");
    expect(eventWords(events).slice(-4)).toEqual([
      "end overflow result willRetry",
      "turn_start",
      "turn_end",
      "agent_end",
    ]);
  });

  test("when the compaction fails, the run ends with the error", async () => {
    const { run, events, append } = testBench({
      settings: SMALL,
      answers: [overflow],
      summaries: [[{ fail: "auth", message: "bad key" }]],
    });
    append(user(long(300)), answer(long(300)));
    await run("question");
    expect(eventWords(events).slice(-2)).toEqual([
      "end overflow Context overflow recovery failed: bad key",
      "agent_end",
    ]);
  });

  test("large results of the kept part are pruned when nothing else helps", async () => {
    const { run, requests, manager } = testBench({
      settings: { ...SMALL, "compaction.thresholdTokens": 80_000 },
      tools: [makeTool("bash", async () => ok(long(5_000, "m7 output")))],
      answers: [[{ text: "m6" }, call], overflow, [{ text: "done" }]],
      usage: [10],
    });
    await run("m5 question");
    const sent = texts((requests[2] as (typeof requests)[0]).context.messages);
    expect(sent.at(-1)).toBe("[Output truncated - 5000 tokens]");
    expect(sent[0]).toContain("m5");
    expect(
      manager()
        .path()
        .map(({ type }) => type)
        .slice(-3),
    ).toEqual(["custom", "compaction", "message"]);
  });

  test("an exchange that cannot be divided is summarized as a whole when its results are what is too large", async () => {
    const { run, requests, manager } = testBench({
      settings: SMALL,
      tools: [makeTool("bash", async () => ok(long(5_000, "m7 output")))],
      answers: [[{ text: "m6" }, call], overflow, [{ text: "done" }]],
      usage: [10],
    });
    await run("m5 question");
    const sent = texts((requests[2] as (typeof requests)[0]).context.messages);
    expect(sent).toEqual([expect.stringContaining("About m6 m7 m5")]);
    expect(
      manager()
        .path()
        .filter(({ type }) => type === "compaction"),
    ).toHaveLength(2);
  });

  test("a prompt that is too long by itself stays an error", async () => {
    const { run, events } = testBench({ settings: SMALL, answers: [overflow] });
    await run(long(5_000));
    expect(eventWords(events)).toContain(
      "end overflow Context overflow recovery failed: The newest messages alone do not fit the context window",
    );
    expect(events.at(-1)).toMatchObject({ stopReason: "error" });
  });

  test("switched off, it is a plain error", async () => {
    const { run, events, append } = testBench({ settings: { "compaction.enabled": false }, answers: [overflow] });
    append(user(long(300)), answer(long(300)));
    await run("question");
    expect(ends(events)).toEqual([]);
  });

  test("a request that another model refused is not repeated", async () => {
    const bench: TestBench = testBench({
      settings: SMALL,
      answers: [
        () => {
          bench.model.current = { ...MODEL, id: "chosen meanwhile" };
          return overflow;
        },
      ],
    });
    bench.append(user(long(300)), answer(long(300)));
    await bench.run("question");
    expect(ends(bench.events)).toEqual([]);
    expect(bench.events.at(-1)).toMatchObject({ type: "agent_end", stopReason: "error" });
  });
});

describe("pruning", () => {
  const bigOutputs = () => [
    user("go"),
    ...Array.from({ length: 8 }, (_, n) => [
      answer("", { calls: [`c${n}`] }),
      result(`c${n}`, long(10_000, `m${n}`)),
    ]).flat(),
  ];

  test("is enough when old output fills the context: no summary, no event", async () => {
    const { append, compactor, events, agent, manager, summaryRequests } = testBench({
      settings: { "compaction.thresholdTokens": 60_000 },
    });
    append(...bigOutputs());
    append(answer("done", { tokens: 80_000 }));
    await compactor.afterRun("stop");
    expect(events).toEqual([]);
    expect(summaryRequests).toEqual([]);
    const pruned = agent.messages.filter((message) => message.role === "toolResult" && message.prunedAt !== undefined);
    expect(pruned).toHaveLength(4);
    expect(manager().path().at(-1)).toMatchObject({ type: "custom", customType: "prune" });
    expect(JSON.stringify(manager().entries())).toContain(long(10_000, "m0"));
    await compactor.afterRun("stop");
    expect(events).toEqual([]);
    expect(manager().path()).toHaveLength(19);
  });

  test("accompanies the summary for what is kept", async () => {
    const { append, compactor, manager, agent } = testBench({
      settings: { "compaction.thresholdTokens": 90_000, "compaction.keepRecentTokens": 70_000 },
      model: { ...MODEL, contextWindow: 200_000 },
    });
    for (let n = 0; n < 6; n += 1) append(user(long(5_000, "question")), answer(long(5_000, "answer")));
    append(...bigOutputs(), answer("done"));
    await compactor.afterRun("stop");
    expect(manager().path().slice(-2)).toMatchObject([
      { type: "custom", customType: "prune", data: { ids: { length: 4 } } },
      { type: "compaction" },
    ]);
    expect(texts(agent.messages.slice(1, 6))).toEqual([
      long(5_000, "question"),
      long(5_000, "answer"),
      "go",
      "<toolCall>",
      "[Output truncated - 10000 tokens]",
    ]);
  });

  test("is skipped if it is not enough", async () => {
    const { append, compactor, manager, summaryRequests } = testBench({
      settings: { "compaction.thresholdTokens": 20_000, "compaction.keepRecentTokens": 5_000 },
      model: { ...MODEL, contextWindow: 200_000 },
    });
    append(...bigOutputs());
    append(answer("done"));
    await compactor.afterRun("stop");
    expect(summaryRequests).toHaveLength(1);
    expect(promptOf(summaryRequests[0] as (typeof summaryRequests)[0])).toContain("m0 xyz");
    expect(manager().path().at(-1)?.type).toBe("compaction");
  });
});

describe("abort", () => {
  test("of the run ends the compaction in it", async () => {
    const { run, agent, events, manager, compactor } = testBench({
      settings: SMALL,
      tools,
      answers: [[{ text: long(600) }, call], [{ text: "never" }]],
      summaries: [[{ text: "half" }, { wait: forever }]],
      usage: [2_000],
    });
    const running = run("question");
    await until(() => compactor.isCompacting);
    await agent.abort();
    await running;
    expect(eventWords(events).slice(-2)).toEqual(["end threshold aborted", "agent_end"]);
    expect(events.at(-1)).toMatchObject({ stopReason: "aborted" });
    expect(
      manager()
        .entries()
        .every(({ type }) => type === "message"),
    ).toBe(true);
  });

  test("after the run ends the compaction that follows it", async () => {
    const { run, compactor, events } = testBench({
      settings: SMALL,
      answers: [[{ text: long(600) }]],
      summaries: [[{ wait: forever }]],
      usage: [2_000],
    });
    const running = run("question");
    await until(() => compactor.isCompacting);
    await compactor.abort();
    expect<boolean>(compactor.isCompacting).toBe(false);
    await running;
    expect(eventWords(events).slice(-2)).toEqual(["start threshold", "end threshold aborted"]);
  });

  test("at any moment leaves the history unchanged, and nothing starts after it", async () => {
    let stopped = 0;
    for (let moment = 0; moment < 80; moment += 1) {
      const hookCalls: string[] = [];
      const { compactor, append, manager, events, summaryRequests, agent } = testBench({
        settings: SMALL,
        hooks: { beforeCompact: () => void hookCalls.push("before"), compacting: () => void hookCalls.push("during") },
      });
      append(user(long(600)), answer(long(600)));
      const running = compactor.afterRun("stop");
      await microtasks(moment);
      const state = () => ({
        entries: [...manager().entries()],
        messages: [...agent.messages],
        requests: summaryRequests.length,
        hookCalls: [...hookCalls],
      });
      const before = state();
      const aborted = compactor.abort();
      await Promise.all([aborted, running]);
      await quiet();
      expect(state()).toEqual(before);
      const words = eventWords(events);
      expect([
        [],
        ["start threshold", "end threshold aborted"],
        ["start threshold", "end threshold result"],
      ]).toContainEqual(words);
      if (words.at(-1) !== "end threshold result") stopped += 1;
    }
    expect(stopped).toBeGreaterThan(10);
    expect(stopped).toBeLessThan(80);
  });

  test("leaves no timer behind", async () => {
    const { compactor, append, clock } = testBench({ settings: SMALL, summaries: [[{ fail: "server" }]] });
    append(user(long(600)), answer(long(600)));
    const running = compactor.afterRun("stop");
    await until(() => clock.sleeperCount > 0);
    await compactor.abort();
    await running;
    expect(clock.sleeperCount).toBe(0);
  });
});

test("the state is correct during a compaction, and events surround it", async () => {
  const states: [string, boolean][] = [];
  const { compactor, append } = testBench({
    settings: SMALL,
    parts: { emit: (event) => states.push([event.type, compactor.isCompacting]) },
  });
  append(user(long(600)), answer(long(600)));
  await compactor.afterRun("stop");
  expect(states).toEqual([
    ["auto_compaction_start", true],
    ["auto_compaction_end", false],
  ]);
});

test("a prompt waits for a compaction under way", async () => {
  const gate = Promise.withResolvers<void>();
  const { compactor, append, run, events } = testBench({
    settings: SMALL,
    answers: [[{ text: "a" }]],
    summaries: [[{ wait: gate.promise }, { text: "S" }]],
    usage: [10],
  });
  append(user(long(600)), answer(long(600)));
  const after = compactor.afterRun("stop");
  await until(() => compactor.isCompacting);
  const running = run("question");
  await quiet();
  expect(eventWords(events)).toEqual(["start threshold"]);
  gate.resolve();
  await Promise.all([after, running]);
  expect(eventWords(events).slice(0, 3)).toEqual(["start threshold", "end threshold result", "agent_start"]);
});

test("the model receives the same as after a reload", async () => {
  const { run, agent, manager } = testBench({
    settings: SMALL,
    tools,
    answers: [[{ text: long(600) }, call], [{ fail: "overflow" }], [{ text: "done" }]],
    usage: [2_000, 20],
  });
  await run("question");
  const live = await buildContext(agent.messages);
  expect(live).toEqual(await buildContext(manager().buildContext().messages));
});
