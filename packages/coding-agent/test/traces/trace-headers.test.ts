import { describe, expect, test } from "bun:test";
import {
  environmentTrace,
  readTraceHeaders,
  traceVariables,
  writeTraceHeaders,
} from "../../src/traces/trace-headers.ts";

const GOOD = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

describe("a place in a trace", () => {
  test("is read and written as the W3C has it", () => {
    const place = readTraceHeaders({ traceparent: GOOD, tracestate: "a=1,b=2" });
    expect(place).toEqual({
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "b7ad6b7169203331",
      isSampled: true,
      state: "a=1,b=2",
    });
    expect(place && writeTraceHeaders(place)).toEqual({ traceparent: GOOD, tracestate: "a=1,b=2" });
  });

  test.each([
    ["a later version, with more behind it", GOOD.replace("00-", "cc-").concat("-more"), true],
    ["other flags than the sample", GOOD.replace(/01$/, "03"), true],
    ["the version that is none", GOOD.replace("00-", "ff-"), false],
    ["capital letters", GOOD.toUpperCase(), false],
    ["an id of zeros", GOOD.replace("b7ad6b7169203331", "0".repeat(16)), false],
    ["a trace of zeros", GOOD.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)), false],
    ["too short", GOOD.slice(0, -1), false],
    ["nothing", "", false],
    ["a line break behind it", `${GOOD}\n`, false],
  ])("%s", (_, traceparent, isRead) => {
    expect(readTraceHeaders({ traceparent }) !== undefined).toBe(isRead);
  });

  test("a state that is no header is left behind", () => {
    expect(readTraceHeaders({ traceparent: GOOD, tracestate: "a=\n" })).not.toHaveProperty("state");
    expect(readTraceHeaders({ traceparent: GOOD, tracestate: "a".repeat(513) })).not.toHaveProperty("state");
  });

  test("comes from the environment and goes into it", () => {
    expect(environmentTrace({})).toBeUndefined();
    const place = environmentTrace({ TRACEPARENT: GOOD, TRACESTATE: "a=1" });
    expect(traceVariables(place && writeTraceHeaders(place))).toEqual({ TRACEPARENT: GOOD, TRACESTATE: "a=1" });
    expect(traceVariables(undefined)).toEqual({});
  });
});
