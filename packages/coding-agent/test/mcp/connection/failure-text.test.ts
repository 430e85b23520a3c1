import { describe, expect, test } from "bun:test";
import { SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { failureText, mayPass, toUnreachable, UnreachableError } from "../../../src/mcp/connection/failure-text.ts";

const http = (status: number, text: string, statusText = "") =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${text}`, {
    status,
    statusText,
    text,
  });

describe("failureText", () => {
  test.each<[string, unknown, string]>([
    ["a page", http(502, "<!DOCTYPE html><title>Bad\n gateway</title><p>x"), 'HTTP 502: an HTML page ("Bad gateway")'],
    ["a page without a title", http(500, "<html><body>x</body></html>"), "HTTP 500: an HTML page"],
    ["words", http(400, "no session"), "HTTP 400: no session"],
    ["JSON-RPC", http(400, '{"jsonrpc":"2.0","error":{"code":-1,"message":"wrong header"}}'), "HTTP 400: wrong header"],
    ["OAuth", http(400, '{"error":"invalid_grant","error_description":"used twice"}'), "HTTP 400: used twice"],
    ["other JSON", http(400, '{"a":1}'), 'HTTP 400: {"a":1}'],
    ["nothing", http(503, "", "Service Unavailable"), "HTTP 503: Service Unavailable"],
    ["no text at all", http(599, ""), "HTTP 599"],
    ["a page in a longer text", new Error("Raw body: <html><title>Login</title>"), 'Raw body: an HTML page ("Login")'],
    ["a comparison", new Error("a <b and <html5>"), "a <b and <html5>"],
    [
      "an unsupported request",
      new SdkError(SdkErrorCode.CapabilityNotSupported, "Declare it!", { method: "sampling/createMessage" }),
      "the server requests sampling/createMessage from its client, which pintle does not support",
    ],
    [
      "a failed version negotiation",
      new SdkError(
        SdkErrorCode.EraNegotiationFailed,
        "Version negotiation probe failed: x",
        {},
        { cause: new Error("y") },
      ),
      "y",
    ],
  ])("%s", (_, error, expected) => {
    expect(failureText(error)).toBe(expected);
  });

  test("omits the runtime's advice", async () => {
    using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => void socket.end() } });
    const [closed, refused] = await Promise.all(
      [silent.port, 1].map((port) => fetch(`http://127.0.0.1:${port}/`).then(() => "", toUnreachable)),
    );
    expect([failureText(closed), failureText(refused)]).toEqual(["connection reset", "connection refused"]);
  });
});

test.each<[string, unknown, boolean]>([
  ["no connection", new UnreachableError("connection refused"), true],
  ["a proxy without a server", new Error("no tools", { cause: http(503, "") }), true],
  ["a path that does not exist yet", http(404, ""), true],
  ["a refusal", http(403, ""), false],
  ["a program that is missing", new Error("Program not found"), false],
  ["nothing", undefined, false],
])("whether %s is a temporary failure", (_, error, expected) => {
  expect(mayPass(error)).toBe(expected);
});

test("describes a page designed to make a regular expression backtrack forever", () => {
  expect(failureText(http(500, `<html>${"<title".repeat(500_000)}`))).toBe("HTTP 500: an HTML page");
});
