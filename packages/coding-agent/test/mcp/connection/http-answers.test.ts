import { describe, expect, test } from "bun:test";
import { watchAnswers } from "../../../src/mcp/connection/http-answers.ts";

const LIMIT = 1024 * 1024;
const POST = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/call" }) };

/** Reads a response made of these pieces to its end. */
async function readAnswer(pieces: readonly string[], init: RequestInit = POST, contentType = "text/event-stream") {
  const ended: (string | number)[] = [];
  const body = new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece));
      controller.close();
    },
  });
  const response = new Response(body, { status: 201, headers: { "content-type": contentType } });
  const watched = await watchAnswers(
    async () => response,
    (id) => void ended.push(id),
    LIMIT,
  )("http://a.example", init);
  const text = await watched.text().catch((error: Error) => `failed: ${error.message}`);
  return { status: watched.status, type: watched.headers.get("content-type"), text, ended };
}

describe("responses over HTTP", () => {
  test("arrive unchanged, and the end of a stream is reported with its request", async () => {
    const pieces = ["data: a\n\n", "data: b\n\n"];
    const expected = { status: 201, type: "text/event-stream", text: pieces.join(""), ended: [7] };
    expect(await readAnswer(pieces)).toEqual(expected);
  });

  test.each<[string, string[], RequestInit, string]>([
    ["a stream that can be resumed", ["id: 1\ndata: a\n\n"], POST, "text/event-stream"],
    ["a stream for everything", ["data: a\n\n"], { method: "GET" }, "text/event-stream"],
    ["a notification's", ["data: a\n\n"], { method: "POST", body: '{"method":"x"}' }, "text/event-stream"],
    ["a document", ["{}"], POST, "application/json"],
  ])("does not report the end of %s", async (_, pieces, init, contentType) => {
    expect((await readAnswer(pieces, init, contentType)).ended).toEqual([]);
  });

  test("limits the size of a document", async () => {
    const half = "x".repeat(LIMIT / 2);
    expect((await readAnswer([half, half], POST, "application/json")).text).toHaveLength(LIMIT);
    const { text } = await readAnswer([half, half, "x"], POST, "application/json");
    expect(text).toBe("failed: The answer has more than 1 MiB, the limit for one message");
  });

  test.each(["\n\n", "\r\n\r\n", "\r\r"])(
    "limits the size of an event, but not of a stream of events (ending with %j)",
    async (end) => {
      const event = `data: ${"x".repeat(LIMIT / 2)}${end}`;
      const { text } = await readAnswer([event, event, event, event]);
      expect(text).toHaveLength(event.length * 4);
      const half = "x".repeat(LIMIT / 2);
      const failed = await readAnswer([event, half, half, "x".repeat(20)]);
      expect([failed.text, failed.ended]).toEqual([
        "failed: The answer has more than 1 MiB, the limit for one message",
        [7],
      ]);
    },
  );
});
