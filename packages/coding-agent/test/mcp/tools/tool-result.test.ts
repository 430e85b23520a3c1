import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { textOf } from "../../../../agent/test/support/tools.ts";
import { type ResultContext, toToolResult } from "../../../src/mcp/tools/tool-result.ts";

const DEFAULTS: Record<string, unknown> = {
  "tools.maxOutputLines": 2000,
  "tools.maxOutputBytes": 51_200,
  "tools.maxSpillBytes": 1_000_000,
  "images.blockImages": false,
};

function context(values: Record<string, unknown> = {}, more: Partial<ResultContext> = {}): ResultContext {
  const get = (key: string) => ({ ...DEFAULTS, ...values })[key];
  return {
    settings: { get: get as never },
    takesImages: () => true,
    newSpillPath: () => Promise.reject(new Error("nothing should be spilled")),
    ...more,
  };
}

const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: "AAAA", mimeType: "image/png" };

describe("a tool result", () => {
  test("keeps text and images in order", async () => {
    const content = [text("a"), text("b"), image, text("c")];
    expect(await toToolResult({ content }, context())).toEqual({
      content: [{ type: "text", text: "a\nb" }, image as never, { type: "text", text: "c" }],
      details: {},
    });
  });

  test("converts other content types to text", async () => {
    const content = [
      { type: "audio", data: "A".repeat(4096), mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "inside" } },
      { type: "resource", resource: { uri: "file:///b", blob: "A".repeat(4096) } },
      { type: "resource_link", uri: "file:///c", name: "c", description: "third" },
      { type: "hologram" },
      null,
    ];
    expect(textOf(await toToolResult({ content }, context())).split("\n")).toEqual([
      "[audio/wav, 3 KB of audio, which cannot be shown]",
      "[file:///a, text/plain]",
      "inside",
      "[file:///b: binary data, 3 KB left out]",
      "[c | file:///c | third]",
      "[content of an unknown kind was left out]",
      "[content of an unknown kind was left out]",
    ]);
  });

  test("includes errors and structured content, and handles missing content", async () => {
    const failed = { content: [text("no")], isError: true, structuredContent: { a: 1 } };
    expect(await toToolResult(failed, context())).toMatchObject({
      isError: true,
      details: { structuredContent: { a: 1 } },
    });
    expect(textOf(await toToolResult({ structuredContent: { a: 1 } }, context()))).toBe('{"a":1}');
    const large = await toToolResult({ content: [text("x")], structuredContent: { a: "x".repeat(70_000) } }, context());
    expect(large.details).toEqual({});
    expect(await toToolResult({}, context())).toEqual({ content: [], details: {} });
  });

  test("strips control characters and escape sequences", async () => {
    const dirty = "\u001b[31mred\u001b[0m\u0000\u0008 \u001b]0;title\u0007end\ttab\n";
    expect(textOf(await toToolResult({ content: [text(dirty)] }, context()))).toBe("red end\ttab\n");
  });

  test.each<[string, object, ResultContext, string]>([
    ["switched off", image, context({ "images.blockImages": true }), "switched off"],
    ["not for this model", image, context({}, { takesImages: () => false }), "does not accept images"],
    ["too large", { ...image, data: "A".repeat(5 * 1024 * 1024) }, context(), "too large"],
    ["no base64", { ...image, data: "%%%" }, context(), "not valid"],
    ["of a strange type", { ...image, mimeType: "text/html" }, context(), "not valid"],
  ])("replaces an image that is %s with a note", async (_, block, where, reason) => {
    const { content } = await toToolResult({ content: [block] }, where);
    expect(content).toEqual([{ type: "text", text: expect.stringContaining(reason) }]);
  });

  test("omits images beyond the limit of a request", async () => {
    const { content } = await toToolResult({ content: Array.from({ length: 30 }, () => image) }, context());
    expect(content.filter((block) => block.type === "image")).toHaveLength(20);
  });
});

describe("a long result", () => {
  test("is truncated at a line boundary and stored completely in a private file", async () => {
    using scratch = scratchDirectory();
    const path = join(scratch.path, "1.log");
    const whole = Array.from({ length: 10 }, (_, index) => `line ${index}`).join("\n");
    const limited = context({ "tools.maxOutputLines": 3 }, { newSpillPath: async () => path });
    const { content, details } = await toToolResult({ content: [text(whole), image, text("after")] }, limited);
    expect(content).toEqual([
      { type: "text", text: "line 0\nline 1\nline 2" },
      image as never,
      { type: "text", text: `[Only the beginning is shown: 3 of 11 lines, 20 of 75 bytes. Full output: ${path}]` },
    ]);
    expect(details).toMatchObject({ truncation: { truncatedBy: "lines", totalLines: 11 }, fullOutputPath: path });
    expect(readFileSync(path, "utf8")).toBe(`${whole}\nafter`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("is truncated even if it cannot be stored", async () => {
    const limited = context({ "tools.maxOutputBytes": 10 });
    const result = await toToolResult({ content: [text("ä".repeat(20))] }, limited);
    expect(textOf(result)).toBe(
      `${"ä".repeat(5)}\n[Only the beginning is shown: 1 of 1 lines, 10 of 40 bytes. The rest was not stored.]`,
    );
  });

  test("never exceeds the limits, and is truncated only at the end", async () => {
    const block = fc.string({ unit: fc.constantFrom("a", "ä", "😀", "\n") }).map(text);
    await fc.assert(
      fc.asyncProperty(
        fc.array(block),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 40 }),
        async (content, maxLines, maxBytes) => {
          const values = {
            "tools.maxOutputLines": maxLines,
            "tools.maxOutputBytes": maxBytes,
            "tools.maxSpillBytes": 0,
          };
          const { content: shown, details } = await toToolResult({ content }, context(values));
          const isCut = "truncation" in (details as object);
          const texts = shown.map((each) => (each.type === "text" ? each.text : ""));
          const body = (isCut ? texts.slice(0, -1) : texts).join("\n");
          expect(Buffer.byteLength(body)).toBeLessThanOrEqual(maxBytes);
          expect(body.split("\n").length - (body.endsWith("\n") ? 1 : 0)).toBeLessThanOrEqual(maxLines);
          expect(content.map((each) => each.text).join("\n")).toStartWith(body);
          expect(body).not.toContain("\uFFFD");
        },
      ),
    );
  });
});

test("joins very many strings in linear time", async () => {
  using scratch = scratchDirectory();
  const path = join(scratch.path, "whole.log");
  const content = Array.from({ length: 60_000 }, () => text("x".repeat(100)));
  const { details } = await toToolResult({ content }, context({}, { newSpillPath: async () => path }));
  expect(details).toMatchObject({ truncation: { totalLines: 60_000, totalBytes: 60_000 * 101 - 1 } });
});
