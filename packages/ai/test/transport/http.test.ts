import { describe, expect, test } from "bun:test";
import { ProviderError } from "../../src/errors.ts";
import { type Fetch, openEventStream, toNetworkError } from "../../src/transport/http.ts";

const request = { url: "https://api.test/v1/messages?key=secret", headers: { accept: "x/y" }, body: { a: 1 } };

async function open(fetch: Fetch, body: object = request.body): Promise<string> {
  const stream = await openEventStream({ ...request, body }, { fetch, signal: new AbortController().signal });
  return new Response(stream).text();
}

const answering =
  (init: ResponseInit, body: string | null = "data: x\n\n") =>
  async () =>
    new Response(body, init);

async function failureOf(fetch: Fetch): Promise<unknown> {
  const error: unknown = await open(fetch).catch((error: unknown) => error);
  if (!(error instanceof ProviderError)) throw error;
  return { ...error.failure, message: error.message };
}

test("a request is a JSON POST that follows no redirect and has no platform time limit", async () => {
  const calls: unknown[] = [];
  await open(async (url, init) => {
    calls.push([url, { ...init, signal: undefined }]);
    return new Response("data: x\n\n");
  });
  expect(calls).toEqual([
    [
      request.url,
      {
        method: "POST",
        headers: { "content-type": "application/json", accept: "x/y" },
        body: '{"a":1}',
        signal: undefined,
        redirect: "manual",
        timeout: false,
      },
    ],
  ]);
});

test.each([
  ["whole characters are left alone", { text: "🌍 \\ud83d" }, { text: "🌍 \\ud83d" }],
  ["half a surrogate pair is replaced, however deep", { a: [{ b: "x\ud83d" }] }, { a: [{ b: "x\uFFFD" }] }],
])("%s", async (_name, body, sent) => {
  const bodies: unknown[] = [];
  const fetch: Fetch = async (_url, { body }) => {
    bodies.push(JSON.parse(String(body)));
    return new Response("data: x\n\n");
  };
  await open(fetch, body);
  expect(bodies).toEqual([sent]);
});

describe("an answer", () => {
  test.each(["text/event-stream", "text/event-stream; charset=utf-8", "text/plain", "application/octet-stream"])(
    "of type %s may contain events",
    async (type) => {
      expect(await open(answering({ headers: { "content-type": type } }))).toBe("data: x\n\n");
    },
  );
  test.each(["text/html; charset=utf-8", "application/json", "application/problem+json"])(
    "of type %s may not",
    async (type) => {
      expect(await failureOf(answering({ headers: { "content-type": type } }))).toEqual({
        kind: "protocol",
        status: 200,
        message: "Expected an event stream, got a single document (HTTP 200)",
      });
    },
  );
  test("without a body is truncated", async () => {
    const init = { headers: { "content-type": "text/event-stream" } };
    expect(await failureOf(answering(init, null))).toEqual({
      kind: "truncated",
      message: "The server answered without a body",
    });
  });
});

test.each<[object, string]>([
  [{ code: "ConnectionRefused", message: "Unable to connect" }, "connection refused"],
  [{ code: "ECONNRESET", message: "x" }, "connection reset"],
  [{ code: "ENOTFOUND", message: "x" }, "host not found"],
  [{ code: "EPIPE", message: "broken pipe" }, "broken pipe (EPIPE)"],
  [new Error("fetch failed"), "fetch failed"],
])("%j is a network error that names only the host of the address", async (error, cause) => {
  const fetch = () => Promise.reject(error);
  expect(await failureOf(fetch)).toEqual({
    kind: "network",
    message: `Network error: ${cause} while talking to https://api.test`,
  });
});

test("an error that is already understood stays unchanged", () => {
  const known = new ProviderError("stall", "stream stall");
  expect(toNetworkError(known, request.url)).toBe(known);
});
