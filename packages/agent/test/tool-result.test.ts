import { describe, expect, test } from "bun:test";
import {
  errorResult,
  normalizeResult,
  syntheticDetails,
  syntheticResult,
  toResultMessage,
} from "../src/tool-result.ts";
import { result } from "./support/messages.ts";

const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const malformed = errorResult("Tool returned a malformed result");

describe("what a tool returns becomes acceptable to a provider", () => {
  const rows: [what: string, value: unknown, normal: unknown][] = [
    [
      "a good result stays",
      { content: [{ type: "text", text: "a" }, image], details: 1 },
      { content: [{ type: "text", text: "a" }, image], details: 1 },
    ],
    ["no content", { content: [] }, { content: [{ type: "text", text: "(no output)" }] }],
    [
      "only empty texts",
      {
        content: [
          { type: "text", text: "" },
          { type: "text", text: "" },
        ],
      },
      { content: [{ type: "text", text: "(no output)" }] },
    ],
    [
      "an empty error",
      { content: [], isError: true, details: { a: 1 } },
      { content: [{ type: "text", text: "Tool failed with no output." }], isError: true, details: { a: 1 } },
    ],
    ["a picture is not empty", { content: [image] }, { content: [image] }],
    ["nothing at all", undefined, malformed],
    ["null", null, malformed],
    ["a string", "done", malformed],
    ["a string as content", { content: "done" }, malformed],
    ["strings in the content", { content: ["done"] }, malformed],
    ["a null block", { content: [null] }, malformed],
    ["an unknown block", { content: [{ type: "audio", data: "" }] }, malformed],
    ["a text without text", { content: [{ type: "text" }] }, malformed],
    ["a picture without type", { content: [{ type: "image", data: "aGk=" }] }, malformed],
  ];
  for (const [what, value, normal] of rows) test(what, () => expect(normalizeResult(value)).toEqual(normal as never));
});

test("a synthetic result states why and whether anything had run, in words other agents use", () => {
  expect(syntheticResult("no", "aborted")).toEqual({
    content: [{ type: "text", text: "no" }],
    details: { __synthetic: true, executed: false, source: "aborted" },
    isError: true,
  });
  expect(
    syntheticDetails(result("a", "x", { details: { __synthetic: true, executed: true, source: "length" } })),
  ).toEqual({
    __synthetic: true,
    executed: true,
    source: "length",
  });
  for (const details of [undefined, null, "text", 5, {}, { __synthetic: false }]) {
    expect(syntheticDetails(result("a", "x", { details }))).toBeUndefined();
  }
});

test("a result becomes a message without fields that are internal to tool and loop", () => {
  const call = { type: "toolCall", id: "a", name: "echo", arguments: {} } as const;
  const content = [{ type: "text" as const, text: "x" }];
  expect(toResultMessage(call, { content, isWarning: true, terminate: true }, 9)).toEqual({
    role: "toolResult",
    toolCallId: "a",
    toolName: "echo",
    content,
    isError: false,
    isWarning: true,
    timestamp: 9,
  });
});
