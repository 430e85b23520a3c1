import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { AssistantEventStream, type Model, offlineModel } from "@pintle/ai";
import fc from "fast-check";
import { openRecordings } from "../../src/replay/recordings.ts";
import {
  allText,
  answersIn,
  anthropic,
  claudeSays,
  exchanges,
  freshDirectory,
  hello,
  network,
  openai,
  type Reply,
  says,
  timeless,
} from "../support/replay/exchanges.ts";

const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

describe("subagents", () => {
  const subagent = (place: string, cwd = "/srv/project") => ({ place, cwd: () => cwd });
  const answer = (text: string): Reply => ({ body: claudeSays([{ text }], 20) });

  test("receive their own answers to the same request, in any order", async () => {
    const directory = freshDirectory();
    const live = exchanges({ record: directory }, network(answer("parent"), answer("first"), answer("second")).fetch);
    const places = [undefined, subagent("1.0"), subagent("1.1")];
    const ask = (desk: typeof live, one: (typeof places)[number]) =>
      desk.ask({ context: says("hi"), ...(one && { subagent: one }) });
    const recorded = [];
    for (const one of places) recorded.push(timeless(await ask(live, one)));
    const again = exchanges({ replay: directory });
    const replayed = [];
    for (const one of places.toReversed()) replayed.push(timeless(await ask(again, one)));
    expect(replayed.toReversed()).toEqual(recorded);
    const missed = await again.ask({ context: says("hi"), subagent: subagent("2.0") });
    expect(missed.message.errorMessage).toContain("First difference: subagent: recorded");
  });

  test("are matched in another directory", async () => {
    const directory = freshDirectory();
    const context = (cwd: string) => says(`work in ${cwd}/src`);
    const live = exchanges({ record: directory }, network(answer("/home/me/.pintle/worktrees/a-1/src is done")).fetch);
    const [first, second] = ["/home/me/.pintle/worktrees/a-1", "/home/me/.pintle/worktrees/a-2"] as const;
    await live.ask({ context: context(first), subagent: subagent("1.0", first) });
    const again = exchanges({ replay: directory });
    const { failure, ...replayed } = await again.ask({ context: context(second), subagent: subagent("1.0", second) });
    expect(failure).toBeUndefined();
    expect(JSON.stringify(replayed)).toContain(`${second}/src is done`);
  });
});

describe("replaying a recording", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 });
  const step = fc.oneof(
    text.map((said) => ({ text: said })),
    fc.record({ thinking: text, signature: fc.base64String({ minLength: 4 }) }),
    fc.record({ call: fc.constantFrom("read", "bash"), args: fc.json({ maxDepth: 2 }), id: fc.uuid() }),
  );
  const answer: fc.Arbitrary<Reply> = fc
    .record({
      steps: fc.array(step, { minLength: 1, maxLength: 4 }),
      piece: fc.integer({ min: 1, max: 20 }),
      chunk: fc.integer({ min: 1, max: 300 }),
      ending: fc.constantFrom("whole", "cut", "broken"),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(({ steps, piece, chunk, ending, part }) => {
      const body = claudeSays(steps, piece);
      if (ending === "whole") return { body, chunk };
      const cut = body.slice(0, Math.floor(part * body.length));
      return ending === "cut"
        ? { body: cut, chunk }
        : { body: cut, chunk, breaks: { code: "ECONNRESET", message: "reset" } };
    });
  const image = fc
    .uint8Array({ minLength: 1, maxLength: 900 })
    .map((bytes) => ({ type: "image" as const, mimeType: "image/png", data: Buffer.from(bytes).toString("base64") }));
  const input = fc.array(
    fc.oneof(
      text.map((said) => ({ type: "text" as const, text: said })),
      image,
    ),
    { minLength: 1 },
  );
  const messages = fc.array(
    input.map((content) => ({ role: "user" as const, content, timestamp: 1 })),
    { minLength: 1, maxLength: 4 },
  );
  const refusal = fc.constantFrom<Reply>(
    {
      status: 429,
      body: '{"error":{"message":"slow down"}}',
      headers: { "content-type": "application/json", "retry-after": "7" },
    },
    { status: 503, body: "", headers: {} },
    { status: 500, body: "<html><title>Oh</title></html>", headers: { "content-type": "text/html" } },
    {
      status: 200,
      body: '{"error":{"type":"overloaded_error","message":"busy"}}',
      headers: { "content-type": "application/json" },
    },
    { breaks: { code: "ConnectionRefused", message: "nobody there" } },
    { body: sse({ type: "error", error: { type: "overloaded_error", message: "busy" } }) },
  );

  test("emits the same events for every conversation and every way an answer can end", async () => {
    const reply = fc.oneof({ weight: 3, arbitrary: answer }, { weight: 1, arbitrary: refusal });
    await fc.assert(
      fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 3 }), messages, async (replies, asked) => {
        const directory = freshDirectory();
        const context = { ...says(), messages: asked };
        const live = exchanges({ record: directory }, network(...replies).fetch);
        const replayed = [];
        const expected = [];
        for (const _ of replies) expected.push(timeless(await live.ask({ context })));
        const again = exchanges({ replay: directory });
        for (const _ of replies) replayed.push(timeless(await again.ask({ context })));
        expect(replayed).toEqual(expected);
        expect(live.problems).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  const SAMPLES: Record<string, string> = {
    "openai-completions": `${sse({ id: "c1", choices: [{ index: 0, delta: { content: "Hi" } }] }, { id: "c1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`,
    "openai-responses": sse(
      { type: "response.created", response: { id: "resp_1", status: "in_progress" } },
      {
        type: "response.output_item.added",
        output_index: 0,
        item: { id: "msg_1", type: "message", role: "assistant", content: [] },
      },
      { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: "Hi" },
      { type: "response.completed", response: { id: "resp_1", status: "completed" } },
    ),
    "google-generative-ai": sse({
      candidates: [{ content: { parts: [{ text: "Hi" }], role: "model" }, finishReason: "STOP", index: 0 }],
    }),
  };
  test.each(Object.entries(SAMPLES))("supports %s", async (api, body) => {
    const directory = freshDirectory();
    const model: Model = { ...openai, api };
    const live = await exchanges({ record: directory }, network({ body }).fetch).ask({ model, context: says("hi") });
    expect(live.failure).toBeUndefined();
    const again = await exchanges({ replay: directory }).ask({ model, context: says("hi") });
    expect(timeless(again)).toEqual(timeless(live));
  });

  test.each<Reply>([
    { status: 429, body: "slow down", headers: { "content-type": "text/plain", "retry-after": "7" } },
    { status: 503, statusText: "Out To Lunch", body: "" },
    { body: `${sse({ id: "c1", choices: [{ index: 0, delta: { content: "Hi" } }] })}data: {"id":"c1","choi` },
  ])("reproduces the failure %j", async (reply) => {
    const directory = freshDirectory();
    const asked = { model: openai, context: says("hi") };
    const live = await exchanges({ record: directory }, network(reply).fetch).ask(asked);
    expect(live.failure).toBeDefined();
    expect(timeless(await exchanges({ replay: directory }).ask(asked))).toEqual(timeless(live));
  });

  test("keeps a body that is not text byte for byte", async () => {
    const directory = freshDirectory();
    const headers = { "content-type": "application/vnd.amazon.eventstream" };
    const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
    // A provider package with a protocol of its own, which uses the given fetch.
    const read = (settings: object) => {
      let response: Promise<Response> | undefined;
      const stream = exchanges(settings).recordings.wrap((_model, _context, { fetch } = {}) => {
        response = fetch?.("https://x.test/invoke", { method: "POST", body: "not json" });
        return new AssistantEventStream();
      });
      stream(anthropic, { messages: [] }, { fetch: async () => new Response(bytes, { headers }) });
      return response?.then((given) => given.bytes());
    };
    expect(await read({ record: directory })).toEqual(bytes);
    expect(allText(directory)).toContain(Buffer.from(bytes).toString("base64"));
    expect(await read({ replay: directory })).toEqual(bytes);
  });

  test("replays several recordings of the same request in order, whatever happens in between", async () => {
    const directory = freshDirectory();
    const replies = ["one", "other", "two"].map((said) => ({ body: claudeSays([{ text: said }]) }));
    const prompts = ["same", "different", "same"];
    const live = exchanges({ record: directory }, network(...replies).fetch);
    for (const prompt of prompts) await live.ask({ context: says(prompt) });
    expect(answersIn(directory).map((path) => basename(path).slice(0, 5))).toEqual(["0001-", "0002-", "0003-"]);
    const again = exchanges({ replay: directory });
    const heard = [];
    for (const prompt of [...prompts, "same"]) heard.push((await again.ask({ context: says(prompt) })).message);
    const texts = heard.map(({ content }) =>
      content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    );
    expect(texts).toEqual(["one", "other", "two", ""]);
    expect(heard[3]?.errorMessage).toContain("It was recorded 2 times");
    expect(heard[3]?.errorMessage).toContain("this is request number 3.");
  });

  test("matches on another day, in another directory, with other ids; the answer holds local paths", async () => {
    const directory = freshDirectory();
    const body = claudeSays([{ call: "read", args: '{"path":"/srv/project/a.txt"}', id: "toolu_live" }], 7);
    const asked = (cwd: string, day: string) => ({
      ...says(`What is in ${cwd}?`),
      systemPrompt: `Date: ${day}\nDirectory: ${cwd}`,
    });
    const live = exchanges({ record: directory }, network({ body }).fetch);
    await live.ask({ context: asked("/srv/project", "2026-01-02"), options: { sessionId: "session-number-one" } });
    expect(allText(directory)).not.toContain("/srv/project");
    const there = exchanges({ replay: directory, places: () => ({ cwd: "/ci/build/77", home: "/root/.pintle" }) });
    const { message, failure } = await there.ask({
      context: asked("/ci/build/77", "2031-12-24"),
      options: { sessionId: "session-two" },
    });
    expect(failure).toBeUndefined();
    expect(message.content).toEqual([
      { type: "toolCall", id: "toolu_live", name: "read", arguments: { path: "/ci/build/77/a.txt" } },
    ]);
  });

  test("the offline model is neither recorded nor replayed", async () => {
    const directory = freshDirectory();
    const { ask } = exchanges({ record: directory });
    const { failure } = await ask({ model: offlineModel, context: says("help") });
    expect(failure).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("replay and record together", () => {
  test("replays known requests, and sends and records the others", async () => {
    const directory = freshDirectory();
    await exchanges({ record: directory }, network(hello).fetch).ask({ context: says("known") });
    const net = network({ body: claudeSays([{ text: "fresh" }]) });
    const both = exchanges({ record: directory, replay: directory }, net.fetch);
    expect((await both.ask({ context: says("known") })).message.content).toEqual([{ type: "text", text: "Hello" }]);
    expect((await both.ask({ context: says("unknown") })).message.content).toEqual([{ type: "text", text: "fresh" }]);
    expect(net.sent).toHaveLength(1);
    const later = exchanges({ replay: directory });
    for (const [prompt, text] of [
      ["unknown", "fresh"],
      ["known", "Hello"],
    ] as const) {
      expect((await later.ask({ context: says(prompt) })).message.content).toEqual([{ type: "text", text }]);
    }
  });

  test("records into an empty directory", async () => {
    const directory = join(freshDirectory(), "new");
    const both = exchanges({ record: directory, replay: directory }, network(hello).fetch);
    expect((await both.ask({ context: says("hi") })).failure).toBeUndefined();
    expect(answersIn(directory)).toHaveLength(1);
  });
});

describe("opening recordings", () => {
  const open = (settings: object) => () =>
    openRecordings({ places: () => ({ cwd: "/", home: "/h" }), secrets: () => [], report: () => {}, ...settings });

  test("reports a directory without recordings immediately", () => {
    expect(open({ replay: "/nowhere/at/all" })).toThrow(
      "There are no recordings in /nowhere/at/all. Make some with --record /nowhere/at/all",
    );
  });

  test.each([
    ["{", "is not valid JSON"],
    ["{}", 'is not a list of {"pattern", "replace"}'],
    ['[{"pattern":1}]', "entry 1 is not"],
    [
      '[{"pattern":"a","replace":"b"},{"pattern":"(","replace":""}]',
      "the pattern of entry 2 is not a valid regular expression",
    ],
  ])("rejects normalize.json %s: %s", (text, problem) => {
    const directory = freshDirectory();
    writeFileSync(join(directory, "normalize.json"), text);
    expect(open({ record: directory })).toThrow(problem);
  });

  test("normalize.json makes requests match after its replacements", async () => {
    const directory = freshDirectory();
    writeFileSync(join(directory, "normalize.json"), '[{"pattern":"build \\\\d+","replace":"build <n>"}]');
    await exchanges({ record: directory }, network(hello).fetch).ask({ context: says("What broke build 17?") });
    const { failure } = await exchanges({ replay: directory }).ask({ context: says("What broke build 18?") });
    expect(failure).toBeUndefined();
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("rejects a speed of %p", (speed) => {
    expect(open({ speed })).toThrow("The replay speed must be a number above 0");
  });
});
