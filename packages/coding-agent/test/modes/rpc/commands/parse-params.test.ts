import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import type { CommandRow } from "../../../../src/modes/rpc/commands/command-row.ts";
import { isParsable, parseParams } from "../../../../src/modes/rpc/commands/parse-params.ts";
import { commands } from "../../../../src/modes/rpc/commands/rpc-types.ts";
import { SessionError } from "../../../../src/storage/session-error.ts";

const image = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };

const prompt = (fields: Record<string, unknown>) =>
  parseParams("prompt", commands.prompt as unknown as CommandRow, fields);

function failure(fields: Record<string, unknown>): string {
  try {
    prompt(fields);
  } catch (error) {
    expect(error).toBeInstanceOf(SessionError);
    expect((error as SessionError).code).toBe("invalid_request");
    return (error as SessionError).message;
  }
  return "accepted";
}

describe("a prompt", () => {
  test("keeps the fields it knows and nothing else", () => {
    const fields = {
      id: "1",
      type: "prompt",
      message: "hi",
      images: [{ ...image, extra: 1 }],
      streamingBehavior: "steer",
      x: 1,
    };
    expect(prompt(fields)).toEqual({ message: "hi", images: [image], streamingBehavior: "steer" });
  });

  test("treats null for an optional field as missing", () => {
    expect(prompt({ message: "hi", images: null, streamingBehavior: null })).toEqual({ message: "hi" });
  });

  test("may have no text when it has images", () => {
    expect(prompt({ message: "", images: [image] })).toEqual({ message: "", images: [image] });
  });

  test.each([
    [{}, "Invalid prompt: message must be a string"],
    [{ message: null }, "Invalid prompt: message must be a string"],
    [{ message: 3 }, "Invalid prompt: message must be a string"],
    [{ message: "" }, "Invalid prompt: message must be a non-empty string"],
    [{ message: "", images: [] }, "Invalid prompt: message must be a non-empty string"],
    [{ message: "hi", images: {} }, "Invalid prompt: images must be an array"],
    [{ message: "hi", images: ["x"] }, "Invalid prompt: images[0] must be an object"],
    [{ message: "hi", images: [image, { ...image, type: "text" }] }, 'Invalid prompt: images[1].type must be "image"'],
    [
      { message: "hi", images: [{ ...image, data: "" }] },
      "Invalid prompt: images[0].data must be base64 text without a data: prefix",
    ],
    [
      { message: "hi", images: [{ ...image, data: "data:image/png;base64,AAAA" }] },
      "Invalid prompt: images[0].data must be base64 text without a data: prefix",
    ],
    [
      { message: "hi", images: [{ ...image, mimeType: "text/plain" }] },
      "Invalid prompt: images[0].mimeType must be an image/* type",
    ],
    [{ message: "hi", streamingBehavior: "Steer" }, "Invalid prompt: streamingBehavior must be one of steer, followUp"],
    [{ message: "hi", streamingBehavior: 1 }, "Invalid prompt: streamingBehavior must be one of steer, followUp"],
  ])("%j: %s", (fields, text) => {
    expect(failure(fields)).toBe(text);
  });
});

test("booleans must be real booleans", () => {
  const row = { params: () => Type.Object({ enabled: Type.Boolean() }) } as unknown as CommandRow;
  expect(parseParams("set_x", row, { enabled: false })).toEqual({ enabled: false });
  expect(() => parseParams("set_x", row, { enabled: "true" })).toThrow("Invalid set_x: enabled must be a boolean");
});

test("every row of the table uses only schemas that can be checked", () => {
  const unknown = Object.entries(commands).filter(([, row]) => !isParsable(row.params()));
  expect(unknown).toEqual([]);
});
