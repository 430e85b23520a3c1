import { expect, test } from "bun:test";
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client";
import { ForbiddenError } from "../../../src/mcp/connection/failure-text.ts";
import { failureOf } from "../../../src/mcp/connection/mcp-client.ts";

const http = (status: number) => new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, "x", { status });

// Only a lost connection ends, together with every other pending call.
test.each<[string, unknown, string]>([
  ["an error of the server", new ProtocolError(-32000, "no"), "answered"],
  ["an invalid result", new SdkError(SdkErrorCode.InvalidResult, "no"), "answered"],
  ["a result of an unknown kind", new SdkError(SdkErrorCode.UnsupportedResultType, "no"), "answered"],
  ["an unsupported request", new SdkError(SdkErrorCode.CapabilityNotSupported, "no"), "answered"],
  ["too many rounds of questions", new SdkError(SdkErrorCode.InputRequiredRoundsExceeded, "no"), "answered"],
  ["silence", new SdkError(SdkErrorCode.RequestTimeout, "no"), "timeout"],
  ["an unknown session", http(404), "forgotten"],
  ["a forbidden call", http(403), "answered"],
  ["the same, as pintle's own error", new ForbiddenError("no"), "answered"],
  ["arguments that are too large", http(413), "answered"],
  ["too many calls", http(429), "answered"],
  ["headers that are too large", http(431), "answered"],
  ["a proxy", http(502), "lost"],
  ["anything else", new Error("broken pipe"), "lost"],
])("%s", (_, error, expected) => {
  expect(failureOf(error)).toBe(expected as ReturnType<typeof failureOf>);
});
