import { describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { commands } from "../src/commands/commands.ts";
import { gatewayCommands } from "../src/commands/gateway.ts";
import { FieldError, isParsable, parseParams } from "../src/commands/parse-params.ts";
import type { CommandRow } from "../src/commands/row.ts";

const image = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };

const prompt = (fields: Record<string, unknown>) => parseParams(commands.prompt as unknown as CommandRow, fields);

function failure(fields: Record<string, unknown>): string {
  try {
    prompt(fields);
  } catch (error) {
    expect(error).toBeInstanceOf(FieldError);
    return (error as FieldError).message;
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
    [{}, "message must be a string"],
    [{ message: null }, "message must be a string"],
    [{ message: 3 }, "message must be a string"],
    [{ message: "" }, "message must be a non-empty string"],
    [{ message: "", images: [] }, "message must be a non-empty string"],
    [{ message: "hi", images: {} }, "images must be an array"],
    [{ message: "hi", images: ["x"] }, "images[0] must be an object"],
    [{ message: "hi", images: [image, { ...image, type: "text" }] }, 'images[1].type must be "image"'],
    [{ message: "hi", images: [{ ...image, data: "" }] }, "images[0].data must be base64 text without a data: prefix"],
    [
      { message: "hi", images: [{ ...image, data: "data:image/png;base64,AAAA" }] },
      "images[0].data must be base64 text without a data: prefix",
    ],
    [{ message: "hi", images: [{ ...image, mimeType: "text/plain" }] }, "images[0].mimeType must be an image/* type"],
    [{ message: "hi", streamingBehavior: "Steer" }, "streamingBehavior must be one of steer, followUp"],
    [{ message: "hi", streamingBehavior: 1 }, "streamingBehavior must be one of steer, followUp"],
  ])("%j: %s", (fields, text) => {
    expect(failure(fields)).toBe(text);
  });
});

test("booleans must be real booleans", () => {
  const row = { params: () => Type.Object({ enabled: Type.Boolean() }) } as unknown as CommandRow;
  expect(parseParams(row, { enabled: false })).toEqual({ enabled: false });
  expect(() => parseParams(row, { enabled: "true" })).toThrow("enabled must be a boolean");
});

test("a list that its handler checks is passed on unchanged", () => {
  const row = commands.set_host_tools as unknown as CommandRow;
  expect(parseParams(row, { tools: [{ name: 1 }, null] })).toEqual({ tools: [{ name: 1 }, null] });
  expect(() => parseParams(row, { tools: "none" })).toThrow("tools must be an array");
});

describe("objects with any names", () => {
  const open = (fields: Record<string, unknown>) =>
    parseParams(gatewayCommands.open_session as unknown as CommandRow, fields);

  test("their values are checked, or left to the handler", () => {
    const fields = { env: { A: "1" }, settings: { "retry.enabled": false, theme: null } };
    expect(open({ ...fields, x: 1 })).toEqual(fields);
    expect(() => open({ env: { A: 1 } })).toThrow("env.A must be a string");
    expect(() => open({ env: ["A"] })).toThrow("env must be an object");
  });

  test("a name that is special in JavaScript is an ordinary name", () => {
    const { settings } = open(JSON.parse('{"settings":{"__proto__":{"isAdmin":true}}}'));
    expect(Object.keys(settings as object)).toEqual(["__proto__"]);
    expect((settings as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  test("a cursor is whole", () => {
    const since = { epoch: "e", seq: 3, entryId: "a" };
    expect(open({ since })).toEqual({ since });
    expect(() => open({ since: { epoch: "e", seq: "3" } })).toThrow("since.seq must be an integer");
  });
});

test("every row of the table uses only schemas that can be checked", () => {
  const unknown = Object.entries({ ...commands, ...gatewayCommands }).filter(([, row]) => !isParsable(row.params()));
  expect(unknown).toEqual([]);
});
