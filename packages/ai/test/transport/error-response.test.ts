import { describe, expect, test } from "bun:test";
import type { ProviderErrorKind } from "../../src/errors.ts";
import { toResponseError, toStreamError } from "../../src/transport/error-response.ts";

async function facts(status: number, body: string | ReadableStream | null, headers: Record<string, string> = {}) {
  const { message, failure } = await toResponseError(new Response(body, { status, headers }));
  return { ...failure, message };
}

const anthropic = (type: string, message: string) =>
  JSON.stringify({ type: "error", error: { type, message }, request_id: "req_1" });
const openai = (message: string, code: string | null = null) =>
  JSON.stringify({ error: { message, type: "invalid_request_error", param: null, code } });

const RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo";
const google = (message: string, details: object[] = [], code = 400, status = "INVALID_ARGUMENT") =>
  JSON.stringify({ error: { code, message, status, details } });

describe("an answer that is an error", () => {
  test.each<[number, string, ProviderErrorKind, string]>([
    [400, anthropic("invalid_request_error", "max_tokens: required"), "invalid_request", "max_tokens: required"],
    [
      400,
      anthropic("invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"),
      "overflow",
      "prompt is too long: 9 tokens > 8 maximum",
    ],
    [
      400,
      openai("This model's maximum context length is 8 tokens."),
      "overflow",
      "This model's maximum context length is 8 tokens.",
    ],
    [401, anthropic("authentication_error", "invalid x-api-key"), "auth", "invalid x-api-key"],
    [
      400,
      google("API key not valid. Please pass a valid API key."),
      "auth",
      "API key not valid. Please pass a valid API key.",
    ],
    [402, '{"error":"Insufficient credits"}', "quota", "Insufficient credits"],
    [403, anthropic("permission_error", "no"), "auth", "no"],
    [404, anthropic("not_found_error", "model: nope"), "not_found", "model: nope"],
    [405, '{"detail":"Method Not Allowed"}', "not_found", "Method Not Allowed"],
    [408, '{"message":"slow"}', "server", "slow"],
    [
      413,
      anthropic("request_too_large", "Request exceeds the maximum size"),
      "too_large",
      "Request exceeds the maximum size",
    ],
    [413, openai("payload too large: too many tokens"), "overflow", "payload too large: too many tokens"],
    [422, '{"error":{"detail":"bad field"}}', "invalid_request", "bad field"],
    [429, anthropic("rate_limit_error", "slow down"), "rate_limit", "slow down"],
    [429, openai("You exceeded your current quota", "insufficient_quota"), "quota", "You exceeded your current quota"],
    [
      429,
      openai("Limit 30000 tokens per minute, too many tokens"),
      "rate_limit",
      "Limit 30000 tokens per minute, too many tokens",
    ],
    [451, "{}", "refused", "{}"],
    [500, anthropic("api_error", "Internal server error"), "server", "Internal server error"],
    [503, "upstream connect error", "overloaded", "upstream connect error"],
    [520, "error code: 520", "server", "error code: 520"],
    [529, anthropic("overloaded_error", "Overloaded"), "overloaded", "Overloaded"],
  ])("%d with %s is %s", async (status, body, kind, message) => {
    expect(await facts(status, body)).toEqual({ kind, status, message: `HTTP ${status}: ${message}` });
  });

  test.each<[string, number, string, ProviderErrorKind, string]>([
    [
      "an HTML page",
      502,
      "<!DOCTYPE html><html><head><title>Bad\n Gateway</title></head></html>",
      "server",
      'an HTML page ("Bad Gateway")',
    ],
    ["an HTML page without title", 403, "  <html><body>no</body></html>", "auth", "an HTML page"],
    ["an array", 400, '[{"error":{"code":400,"message":"in a list"}}]', "invalid_request", "in a list"],
    ["an empty array", 500, "[]", "server", "[]"],
    ["a string", 400, '"just words"', "invalid_request", "just words"],
    ["half a JSON", 400, '{"error":{"mess', "invalid_request", '{"error":{"mess'],
    [
      "control characters",
      500,
      '{"error":{"message":"a\\u001b[31mb\\u0007c\\u009bd\\ne"}}',
      "server",
      "a [31mb c d\ne",
    ],
    ["no body, where the input may be too large", 400, "", "overflow", "no further information"],
    ["no body, where the input may be too large", 413, " ", "overflow", "no further information"],
    ["no body", 500, "", "server", "no further information"],
  ])("with %s is described", async (_what, status, body, kind, message) => {
    expect(await facts(status, body)).toEqual({ kind, status, message: `HTTP ${status}: ${message}` });
  });

  test("falls back to the status text", async () => {
    const error = await toResponseError(new Response(null, { status: 502, statusText: "Bad Gateway" }));
    expect(error.message).toBe("HTTP 502: Bad Gateway");
  });

  test("is cut without leaving half a character", async () => {
    const { message } = await facts(500, `${"x".repeat(1999)}🌍${"y".repeat(500)}`);
    expect(message).toBe(`HTTP 500: ${"x".repeat(1999)}\uFFFD…`);
  });

  test("contains the longest wait of headers and text", async () => {
    const body = anthropic("rate_limit_error", "please try again in 30s");
    expect(await facts(429, body, { "retry-after": "7" })).toMatchObject({ retryAfterMs: 30_000 });
    expect(await facts(429, body, { "retry-after": "70" })).toMatchObject({ retryAfterMs: 70_000 });
    expect(await facts(529, "busy", { "retry-after-ms": "900" })).toEqual({
      kind: "overloaded",
      status: 529,
      retryAfterMs: 900,
      message: "HTTP 529: busy",
    });
  });

  test.each([
    ["on its own", google("slow down", [{ "@type": RETRY_INFO, retryDelay: "34.07s" }], 429, "RESOURCE_EXHAUSTED")],
    ["in a list", `[${google("slow down", [{}, { "@type": RETRY_INFO, retryDelay: "34.07s" }], 429)}]`],
  ])("reads the wait from Google's details, %s", async (_where, body) => {
    expect(await facts(429, body, { "retry-after": "7" })).toEqual({
      kind: "rate_limit",
      status: 429,
      retryAfterMs: 34_070,
      message: "HTTP 429: slow down",
    });
  });

  test("is read up to a limit", async () => {
    let pulled = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new TextEncoder().encode("z".repeat(1024)));
      },
    });
    expect((await facts(500, endless)).message).toBe(`HTTP 500: ${"z".repeat(2000)}…`);
    expect(pulled).toBeLessThan(100);
  });

  test("keeps its status if the connection breaks while it is read", async () => {
    let sent = false;
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) return controller.error(new Error("reset"));
        sent = true;
        controller.enqueue(new TextEncoder().encode("overl"));
      },
    });
    expect(await facts(529, broken)).toEqual({ kind: "overloaded", status: 529, message: "HTTP 529: overl" });
  });
});

describe("a redirect", () => {
  test("names the origin for baseUrl, without path and query", async () => {
    expect(await facts(307, null, { location: "https://other.test/v1/messages?key=secret" })).toEqual({
      kind: "invalid_request",
      status: 307,
      message: "HTTP 307: the server redirects to https://other.test; set baseUrl to it",
    });
  });
});

describe("a success that is not an event stream", () => {
  test.each([
    ["<html><title>Login</title></html>", 'Expected an event stream, got an HTML page ("Login") (HTTP 200)'],
    ['{"id":"msg_1","content":[]}', "Expected an event stream, got a single document (HTTP 200)"],
    ["", "Expected an event stream, got a single document (HTTP 200)"],
  ])("%s is a protocol error", async (body, message) => {
    expect(await facts(200, body)).toEqual({ kind: "protocol", status: 200, message });
  });
  test("may contain an error object", async () => {
    expect(await facts(200, anthropic("overloaded_error", "Overloaded"))).toEqual({
      kind: "overloaded",
      status: 529,
      message: "overloaded_error: Overloaded",
    });
  });
});

describe("an error inside a stream", () => {
  test.each<[unknown, ProviderErrorKind, number | undefined, string]>([
    [
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      "overloaded",
      529,
      "overloaded_error: Overloaded",
    ],
    [{ error: { type: "rate_limit_error", message: "slow" } }, "rate_limit", 429, "rate_limit_error: slow"],
    [{ error: { code: "insufficient_quota", message: "no money" } }, "quota", 402, "insufficient_quota: no money"],
    [{ error: { type: "authentication_error", message: "who" } }, "auth", 401, "authentication_error: who"],
    [{ error: { type: "permission_error", message: "no" } }, "auth", 403, "permission_error: no"],
    [{ error: { type: "not_found_error", message: "model" } }, "not_found", 404, "not_found_error: model"],
    [{ error: { code: "context_length_exceeded", message: "long" } }, "overflow", 400, "context_length_exceeded: long"],
    [{ error: { type: "timeout_error", message: "late" } }, "server", 504, "timeout_error: late"],
    [{ error: { code: 503, message: "busy" } }, "overloaded", 503, "busy"],
    [{ error: { code: 503, message: "busy", status: "UNAVAILABLE" } }, "overloaded", 503, "busy"],
    [{ error: { message: "plain" } }, "server", undefined, "plain"],
    [{ error: "words" }, "server", undefined, "words"],
    [{ error: { odd: true } }, "server", undefined, '{"odd":true}'],
    [{ type: "error", message: "flat" }, "server", undefined, "error: flat"],
  ])("%j is recognised", (value, kind, status, message) => {
    const error = toStreamError(value);
    expect({ ...error?.failure, message: error?.message }).toEqual({ kind, ...(status && { status }), message });
  });

  test.each([null, 3, "text", {}, { error: null }, { error: false }, { type: "ping" }])("%j is not one", (value) => {
    expect(toStreamError(value)).toBeUndefined();
  });
});
