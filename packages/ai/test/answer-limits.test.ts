import { expect, test } from "bun:test";
import fc from "fast-check";
import { maxAnswerChars } from "../src/answer-limits.ts";
import { streamModel } from "../src/stream.ts";
import { readChecked } from "./support/event-checker.ts";
import { sendEvents, sendEventsAndHang, startLoopbackServer } from "./support/loopback-server.ts";
import { answer, gpt, opening, text } from "./support/protocols/openai-completions/samples.ts";

const nothing = { messages: [] };

test("an answer longer than allowed fails, keeps what arrived and closes its connection", async () => {
  await using server = await startLoopbackServer(
    sendEventsAndHang(opening + text("x".repeat(60)) + text("y".repeat(60))),
  );
  const { failure, message } = await readChecked(
    streamModel({ ...gpt, baseUrl: server.url }, nothing, { maxAnswerChars: 100 }),
  );
  expect(failure).toEqual({ kind: "protocol" }); // not retried: the next answer would be just as long
  expect(message).toMatchObject({
    stopReason: "error",
    errorMessage: "The answer has more than 100 characters",
    content: [{ type: "text", text: "x".repeat(60) }],
  });
});

test("the length of an answer includes pieces of every kind", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }), async (lengths) => {
      const pieces = lengths.map((length) => text("x".repeat(length)));
      await using server = await startLoopbackServer(sendEvents(answer("stop", ...pieces)));
      const model = { ...gpt, baseUrl: server.url };
      const { message } = await readChecked(streamModel(model, nothing, { maxAnswerChars: 100 }));
      const total = lengths.reduce((sum, length) => sum + length, 0);
      expect(message.stopReason).toBe(total > 100 ? "error" : "stop");
    }),
    { numRuns: 20 },
  );
});

test("an answer that never finishes ends at its time limit", async () => {
  await using server = await startLoopbackServer((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(opening);
    const timer = setInterval(() => response.write(text("word ")), 5);
    response.on("close", () => clearInterval(timer));
  });
  const { failure, message } = await readChecked(
    streamModel({ ...gpt, baseUrl: server.url }, nothing, { totalTimeoutMs: 200 }),
  );
  expect(failure).toEqual({ kind: "protocol" });
  expect(message.errorMessage).toBe("The answer was not complete after 0 s");
});

test("without an explicit limit it is derived from the model's output tokens", () => {
  expect(maxAnswerChars({ maxTokens: 8_000 }, {})).toBe(8 * 1024 * 1024);
  expect(maxAnswerChars({ maxTokens: 1_000_000 }, { maxAnswerChars: 0 })).toBe(32_000_000);
  expect(maxAnswerChars({ maxTokens: 1_000_000 }, { maxAnswerChars: 5 })).toBe(5);
});
