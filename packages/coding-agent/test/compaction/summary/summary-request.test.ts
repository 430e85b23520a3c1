import { describe, expect, test } from "bun:test";
import { AssistantEventStream, type Model, type Usage } from "@pintle/ai";
import { type ScriptedAnswer, scriptedModel } from "@pintle/ai/testing";
import { FakeClock } from "../../../../agent/test/support/fake-clock.ts";
import { quiet } from "../../../../agent/test/support/quiet.ts";
import {
  requestSummary,
  type SummaryModelAccess,
  SummaryOverflow,
} from "../../../src/compaction/summary/summary-request.ts";
import { MissingKeyError } from "../../../src/config/models/model-registry.ts";
import { MODEL } from "../../support/compaction/bench.ts";

function start(answers: readonly ScriptedAnswer[], fields: Partial<SummaryModelAccess> = {}, maxTokens = 5_000) {
  const clock = new FakeClock();
  const { stream, requests } = scriptedModel(answers);
  const usages: Usage[] = [];
  const asked: Model[] = [];
  const controller = new AbortController();
  const access: SummaryModelAccess = {
    stream: (model, ...rest) => {
      asked.push(model);
      return stream(model, ...rest);
    },
    clock,
    models: [MODEL],
    requestSetup: async () => ({ apiKey: "key", idleTimeoutMs: 7 }),
    retry: { enabled: true, maxRetries: 3, baseDelayMs: 2_000, maxDelayMs: 60_000 },
    onUsage: (usage) => usages.push(usage),
    ...fields,
  };
  const summary = requestSummary(access, { text: "PROMPT", maxTokens }, controller.signal);
  summary.catch(() => {});
  return { summary, clock, requests, usages, asked: () => asked.map(({ id }) => id), abort: () => controller.abort() };
}

const other: Model = { ...MODEL, id: "other" };

test("one user message, no tools, no thinking, the limit, and the given credentials", async () => {
  const { summary, requests } = start([[{ thinking: "hm" }, { text: " The " }, { text: "summary\n" }]]);
  expect(await summary).toBe("The \nsummary");
  const { context, options } = requests[0] as (typeof requests)[0];
  expect(context.messages.map(({ role, content }) => ({ role, content }))).toEqual([
    { role: "user", content: "PROMPT" },
  ]);
  expect(context.tools).toBeUndefined();
  expect(context.systemPrompt).toContain("Do not answer it, do not continue it");
  const { thinkingLevel, maxTokens, apiKey, idleTimeoutMs, cacheRetention } = options;
  expect({ thinkingLevel, maxTokens, apiKey, idleTimeoutMs, cacheRetention }).toEqual({
    thinkingLevel: "off",
    maxTokens: 5_000,
    apiKey: "key",
    idleTimeoutMs: 7,
    cacheRetention: "none",
  });
});

test("the limit is not more than the model can write", async () => {
  const { summary, requests } = start([[{ text: "S" }]], {}, 50_000);
  await summary;
  expect(requests[0]?.options.maxTokens).toBe(8_000);
});

test("a model that ignores the limit is cut", async () => {
  const { summary } = start([[{ text: "😀".repeat(9_000) }]], {}, 1_000);
  expect((await summary).length).toBeLessThanOrEqual(8_000);
  expect((await summary).isWellFormed()).toBe(true);
});

describe("no summary", () => {
  test.each<[string, ScriptedAnswer, string]>([
    ["an empty answer", [], "Summarization failed: the model returned no text"],
    ["blanks", [{ text: " \n" }], "Summarization failed: the model returned no text"],
    ["only thinking", [{ thinking: "hm" }], "Summarization failed: the model returned no text"],
    ["a refusal", [{ fail: "auth", message: "bad key" }], "Summarization failed: bad key"],
    [
      "a failure in the middle",
      [{ text: "half" }, { fail: "refused", message: "unsafe" }],
      "Summarization failed: unsafe",
    ],
  ])("%s", async (_name, answer, message) => {
    const { summary, requests } = start([answer]);
    await expect(summary).rejects.toThrow(message);
    expect(requests).toHaveLength(1);
  });

  test("no key", async () => {
    const requestSetup = async () => {
      throw new MissingKeyError("test");
    };
    const { summary, requests } = start([], { requestSetup });
    await expect(summary).rejects.toMatchObject({ message: "No API key for test", code: "no_credentials" });
    expect(requests).toHaveLength(0);
  });

  test("no model", async () => {
    await expect(start([], { models: [] }).summary).rejects.toThrow("No model selected");
  });

  test("the request does not fit", async () => {
    await expect(start([[{ fail: "overflow" }]]).summary).rejects.toBeInstanceOf(SummaryOverflow);
    const { summary } = start([[{ fail: "server", message: "prompt is too long" }]]);
    await expect(summary).rejects.toBeInstanceOf(SummaryOverflow);
  });
});

describe("passing failures", () => {
  test("are waited out, each wait twice the one before", async () => {
    const { summary, clock, requests, usages } = start([[{ fail: "overloaded" }], [{ vanish: true }], [{ text: "S" }]]);
    await quiet();
    clock.advance(1_999);
    await quiet();
    expect(requests).toHaveLength(1);
    clock.advance(1);
    await quiet();
    expect(requests).toHaveLength(2);
    clock.advance(4_000);
    expect(await summary).toBe("S");
    expect(usages.map(({ input }) => input)).toEqual([0, 10]);
  });

  test("end with the last reason", async () => {
    const { summary, clock, requests } = start(
      Array.from({ length: 4 }, (_, n) => [{ fail: "server", message: `no ${n}` }]),
    );
    for (const wait of [2_000, 4_000, 8_000]) {
      await quiet();
      clock.advance(wait);
    }
    await expect(summary).rejects.toThrow("Summarization failed: no 3");
    expect(requests).toHaveLength(4);
  });

  test("a wait beyond the user's limit is not begun", async () => {
    const { summary, clock } = start([[{ fail: "rate_limit", message: "later", retryAfterMs: 60_001 }]]);
    await expect(summary).rejects.toThrow("Summarization failed: later");
    expect(clock.sleeperCount).toBe(0);
  });
});

describe("several models", () => {
  const models = [other, MODEL];

  test("the first usable one is used", async () => {
    const { summary, asked } = start([[{ text: "S" }]], { models });
    expect(await summary).toBe("S");
    expect(asked()).toEqual(["other"]);
  });

  test("a wait of more than 30 s moves on to the next one", async () => {
    const { summary, asked, clock } = start([[{ fail: "rate_limit", retryAfterMs: 30_001 }], [{ text: "S" }]], {
      models,
    });
    expect(await summary).toBe("S");
    expect(asked()).toEqual(["other", "scripted"]);
    expect(clock.sleeperCount).toBe(0);
  });

  test("the last one is awaited", async () => {
    const { summary, clock } = start(
      [[{ fail: "auth" }], [{ fail: "rate_limit", retryAfterMs: 40_000 }], [{ text: "S" }]],
      {
        models,
      },
    );
    await quiet();
    clock.advance(40_000);
    expect(await summary).toBe("S");
  });

  test("one without a key is skipped", async () => {
    const requestSetup = async (model: Model) => {
      if (model === other) throw new MissingKeyError(model.provider);
      return {};
    };
    const { summary, asked } = start([[{ text: "S" }]], { models, requestSetup });
    expect(await summary).toBe("S");
    expect(asked()).toEqual(["scripted"]);
  });
});

describe("abort", () => {
  const forever = new Promise<never>(() => {});

  test.each<[string, readonly ScriptedAnswer[], Partial<SummaryModelAccess>]>([
    ["while the key is looked up", [], { requestSetup: () => forever }],
    ["while the model writes", [[{ text: "half" }, { wait: forever }]], {}],
    ["while a model that does not care writes", [], { stream: () => new AssistantEventStream() }],
    ["while it waits for another try", [[{ fail: "server" }], [{ text: "S" }]], {}],
  ])("%s", async (_name, answers, fields) => {
    const setups: string[] = [];
    const requestSetup = async (model: Model) => {
      setups.push(model.id);
      return fields.requestSetup?.(model) ?? {};
    };
    const { summary, abort, clock, asked } = start(answers, { models: [MODEL, other], ...fields, requestSetup });
    await quiet();
    const before = [asked(), [...setups]];
    abort();
    await expect(summary).rejects.toThrow("Compaction cancelled");
    await quiet();
    expect([asked(), setups]).toEqual(before);
    expect(clock.sleeperCount).toBe(0);
  });
});
