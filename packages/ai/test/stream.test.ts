import { describe, expect, test } from "bun:test";
import type { Model } from "../src/model.ts";
import { createRedactor } from "../src/secrets/index.ts";
import { streamModel } from "../src/stream.ts";
import type { AssistantMessageEvent } from "../src/stream-events.ts";
import type { Fetch } from "../src/transport/http.ts";
import { checkEvents, readChecked } from "./support/event-checker.ts";
import { sendEvents, sendStatus, startLoopbackServer } from "./support/loopback-server.ts";
import { answer, chunk, done, gpt, opening, statistics, text } from "./support/protocols/openai-completions/samples.ts";

// support/fault-matrix.ts covers what holds for every protocol; these tests need only one of them.

const nothing = { messages: [] };

describe("a call that cannot be made produces one event", () => {
  test("unknown API", async () => {
    const { failure, message } = await readChecked(streamModel({ ...gpt, api: "gopher" }, nothing));
    expect(failure).toEqual({ kind: "invalid_request" });
    expect(message.errorMessage).toBe('Unknown API "gopher" of model openai/gpt-test');
  });

  const circular: Record<string, unknown> = {};
  circular.self = circular;
  test.each<[string, Partial<Model>, object, object]>([
    ["a base URL that is none", { baseUrl: "localhost" }, {}, {}],
    ["a base URL of another kind", { baseUrl: "file:///etc" }, {}, {}],
    ["a key with a line end", {}, { apiKey: "sk-123\n456" }, {}],
    ["a header that HTTP does not know", { headers: { "not a name": "x" } }, {}, {}],
    ["a body that is no JSON", {}, {}, { tools: [{ name: "x", description: "", parameters: circular }] }],
  ])("%s", async (_name, model, options, context) => {
    let asked = 0;
    const fetch: Fetch = async () => {
      asked += 1;
      return new Response("");
    };
    const stream = streamModel({ ...gpt, ...model }, { ...nothing, ...context }, { fetch, ...options });
    const { failure } = await readChecked(stream);
    expect(failure).toEqual({ kind: "invalid_request" }); // as a network error it would be retried
    expect(asked).toBe(0);
  });
});

test("result() returns the final message, complete or not", async () => {
  await using server = await startLoopbackServer(
    sendEvents(answer("stop", text("x"))),
    sendStatus(500, '{"error":{"message":"Oh no"}}'),
  );
  const model = { ...gpt, baseUrl: server.url };
  expect(await streamModel(model, nothing).result()).toMatchObject({ stopReason: "stop" });
  expect(await streamModel(model, nothing).result()).toMatchObject({
    stopReason: "error",
    errorMessage: "HTTP 500: Oh no",
  });
});

test("a secret in the model's headers is not shown", async () => {
  const secret = "tenant-secret-987654";
  await using server = await startLoopbackServer(sendStatus(403, `{"error":{"message":"Unknown: ${secret}"}}`));
  const model = { ...gpt, baseUrl: server.url, headers: { "x-tenant": secret } };
  expect(await streamModel(model, nothing).result()).toMatchObject({ errorMessage: "HTTP 403: Unknown: <secret>" });
});

test("a reader that pauses stops reading from the server and loses nothing", async () => {
  const words = Array.from({ length: 50 }, (_, index) => `${index} `);
  const chunks = [opening, ...words.map(text), chunk({}, "stop"), statistics, done];
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(chunks[pulled]));
        pulled += 1;
        if (pulled === chunks.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const fetch: Fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  const read: AssistantMessageEvent[] = [];
  for await (const event of streamModel(gpt, nothing, { fetch })) {
    read.push(event);
    if (event.type !== "text_delta" || event.delta !== "20 ") continue;
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    // The opening, the chunks whose events were taken, and one whose event is still waiting.
    expect(pulled).toBeLessThanOrEqual(read.length + 1);
  }
  expect(checkEvents(read).message.content).toEqual([{ type: "text", text: words.join("") }]);
});

test("the caller's signal is released when the answer ends", async () => {
  await using server = await startLoopbackServer(sendEvents(answer("stop", text("x"))));
  const { signal } = new AbortController();
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  await streamModel({ ...gpt, baseUrl: server.url }, nothing, { signal }).result();
  while (listeners > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  expect(listeners).toBe(0);
});

test("two answers at a time do not mix", async () => {
  await using server = await startLoopbackServer(
    sendEvents(answer("stop", text("first "), text("one")), { chunkBytes: 64 }),
    sendEvents(answer("stop", text("second "), text("one")), { chunkBytes: 64 }),
  );
  const model = { ...gpt, baseUrl: server.url };
  const answers = await Promise.all([1, 2].map(() => readChecked(streamModel(model, nothing))));
  const texts = answers.flatMap(({ message }) => message.content.map((block) => "text" in block && block.text));
  expect(texts.sort()).toEqual(["first one", "second one"]);
});

test("a key that an error message cuts off in the middle is still removed", () => {
  const key = "sk-verysecretkey-0123456789";
  const { text } = createRedactor([key], { mask: "<secret>" });
  expect(text(`bad key ${key.slice(0, 14)}… and ${key}`)).toBe("bad key <secret>… and <secret>");
});

test("a token in an error message is masked although the client does not know it", async () => {
  const token = `ghp_${"k7Qx2Zp9".repeat(5)}`;
  const foreign = () => Promise.reject(new Error(`the proxy rejected ${token}`));
  const { errorMessage } = await streamModel(gpt, nothing, { foreign }).result();
  expect(errorMessage).toContain("the proxy rejected <secret>");
});

test("a flood of data does not block the event loop", async () => {
  const many = Array.from({ length: 150_000 }, (_, n) => text(`word ${n} `));
  const bytes = new TextEncoder().encode(answer("stop", ...many));
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes); // as from a socket with buffered data
      controller.close();
    },
  });
  const fetch: Fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
  let [count, countAtTurn, longest] = [0, 0, 0];
  const note = () => {
    longest = Math.max(longest, count - countAtTurn);
    countAtTurn = count;
  };
  const turn = () => {
    note();
    if (count < many.length) setImmediate(turn);
  };
  setImmediate(turn);
  for await (const { type } of streamModel(gpt, nothing, { fetch })) {
    if (type === "text_delta") count += 1;
  }
  note();
  expect(count).toBe(many.length);
  expect(longest).toBeLessThan(many.length / 5);
});
