import { describe, expect, test } from "bun:test";
import type { AssistantMessage, Model, StreamOptions } from "@pintle/ai";
import { type ScriptedAnswer, scriptedModel, scriptedModelInfo } from "@pintle/ai/testing";
import type { CompactorParts, ConversationRequest } from "../../../src/compaction/compaction-types.ts";
import { type InPlaceRequest, summarizeInPlace } from "../../../src/compaction/summary/summary-in-place.ts";
import { answer, long, user } from "../../support/compaction/messages.ts";

const model: Model = { ...scriptedModelInfo, contextWindow: 200_000 };
const SUMMARY: ScriptedAnswer = [{ text: "the summary" }];
const item = (message: InPlaceRequest["history"][number]["message"], tokens: number) => ({
  entryId: "e",
  message,
  tokens,
});

function measured(fields: Partial<AssistantMessage> = {}): AssistantMessage {
  const message = answer("well") as AssistantMessage;
  const usage = { ...message.usage, cacheRead: 90_000, cacheWrite: 5_000 };
  return { ...message, provider: model.provider, model: model.id, usage, ...fields };
}

const request: InPlaceRequest = {
  history: [item(user(long(50_000)), 50_000)],
  turnPrefix: [],
  kept: [item(user("the newest words"), 5)],
  reserveTokens: 16_384,
  tokensBefore: 100_000,
  measure: measured(),
};
const conversation: ConversationRequest = {
  model,
  context: { systemPrompt: "s", tools: [], messages: [{ role: "user", content: "first", timestamp: 1 }] },
  options: { thinkingLevel: "off", sessionId: "id", cacheRetention: "long" },
};

interface Given {
  answers?: ScriptedAnswer[];
  request?: Partial<InPlaceRequest>;
  conversation?: Partial<ConversationRequest> | undefined;
  models?: Model[];
  refuse?: Error;
  signal?: AbortSignal;
}

function play(given: Given = {}) {
  const { stream, requests } = scriptedModel(given.answers ?? [SUMMARY]);
  const usages: number[] = [];
  const parts: Partial<CompactorParts> = {
    conversationRequest: async () =>
      "conversation" in given && !given.conversation ? undefined : { ...conversation, ...given.conversation },
  };
  const access = {
    stream,
    clock: { now: () => 7, delay: async () => {} },
    models: given.models ?? [model],
    requestSetup: async () => {
      if (given.refuse) throw given.refuse;
      return {};
    },
    retry: { enabled: false, maxRetries: 0, baseDelayMs: 0, maxDelayMs: 0 },
    onUsage: () => usages.push(1),
  };
  const signal = given.signal ?? new AbortController().signal;
  const summary = summarizeInPlace(parts as CompactorParts, { ...request, ...given.request }, access, signal);
  return { summary, requests, usages };
}

test("the request is the conversation's own followed by a question, and its usage is counted", async () => {
  const { summary, requests, usages } = play();
  expect(await summary).toBe("the summary");
  const [{ context, options }] = requests as [(typeof requests)[number]];
  expect({ ...context, messages: context.messages.slice(0, -1) }).toEqual(conversation.context as never);
  expect(context.messages.at(-1)).toMatchObject({ role: "user", content: expect.stringContaining("the newest words") });
  const { signal, maxTokens, ...same } = options;
  expect(same).toEqual(conversation.options as StreamOptions);
  expect(maxTokens).toBe(8_000); // of the model
  expect(usages).toHaveLength(1);
});

test("near the end of the window, the summary gets the remaining space", async () => {
  const usage = { ...measured().usage, cacheRead: 190_000 };
  const { summary, requests } = play({ request: { tokensBefore: 193_000, measure: measured({ usage }) } });
  expect(await summary).toBe("the summary");
  expect(requests[0]?.options.maxTokens).toBeLessThan(200_000 - 193_000);
  expect(requests[0]?.options.maxTokens).toBeGreaterThan(3_000);
});

describe("nothing is asked", () => {
  const cases: [string, Given][] = [
    ["when no provider has the conversation", { conversation: undefined }],
    ["when another model writes summaries", { models: [{ ...model, id: "cheap" }, model] }],
    ["when the newest answer is from another model", { request: { measure: measured({ model: "other" }) } }],
    ["when there is no room for an answer", { request: { tokensBefore: 197_500 } }],
    ["when the window has overflowed", { request: { tokensBefore: 250_000 } }],
    ["when only the earlier summary is to be made shorter", { request: { history: [] } }],
    ["when the text is shorter than what is not cached", { request: { history: [item(user("short"), 2)] } }],
    ["when the budget has no room", { refuse: new Error("no room") }],
  ];
  test.each(cases)("%s", async (_name, given) => {
    const { summary, requests } = play(given);
    expect(await summary).toBeUndefined();
    expect(requests).toEqual([]);
  });
});

describe("an answer is no summary", () => {
  const cases: [string, ScriptedAnswer][] = [
    ["when it calls a tool", [{ text: "I look." }, { call: "ls" }]],
    ["when it is empty", []],
    ["when the request is too large after all", [{ fail: "overflow" }]],
    ["when the provider fails", [{ fail: "server" }]],
  ];
  test.each(cases)("%s", async (_name, useless) => {
    const { summary, requests } = play({ answers: [useless] });
    expect(await summary).toBeUndefined();
    expect(requests).toHaveLength(1);
  });
});

test("an abort ends it, even if the provider ignores the signal", async () => {
  const controller = new AbortController();
  const { summary, requests } = play({
    answers: [
      () => {
        queueMicrotask(() => controller.abort());
        return [{ wait: new Promise(() => {}) }];
      },
    ],
    signal: controller.signal,
  });
  await expect(summary).rejects.toThrow("cancelled");
  expect(requests).toHaveLength(1);
});
