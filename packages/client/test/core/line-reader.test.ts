import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { LineReader } from "../../src/core/line-reader.ts";

function read(chunks: readonly (Uint8Array | string)[], maxLineBytes?: number) {
  const lines: (string | null)[] = [];
  const reader = new LineReader(
    { onLine: (line) => lines.push(line), onOverlongLine: () => lines.push(null) },
    maxLineBytes,
  );
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return lines;
}

const bytes = (text: string) => new TextEncoder().encode(text);

test("lines do not depend on how the bytes are split into chunks", () => {
  const text = fc.array(fc.string({ unit: "binary" }), { maxLength: 6 }).map((parts) => parts.join("\n"));
  fc.assert(
    fc.property(text, fc.array(fc.nat(200), { maxLength: 20 }), (whole, cuts) => {
      const all = bytes(whole);
      const places = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b), all.length];
      const chunks = places.slice(1).map((end, index) => all.subarray(places[index], end));
      const expected = new TextDecoder("utf-8", { ignoreBOM: true })
        .decode(all)
        .split("\n")
        .map((line) => line.replace(/\r$/, ""));
      const withoutMark = expected.map((line, index) => (index === 0 ? line.replace(/^\uFEFF/, "") : line));
      expect(read(chunks)).toEqual(withoutMark.filter((line) => line.trim() !== ""));
    }),
  );
});

describe("line ends", () => {
  test("only LF ends a line; a CR before it is removed", () => {
    expect(read(['"a\u2028b\u2029c\u0085d\fe\rf"\r\n"g"\n'])).toEqual(['"a\u2028b\u2029c\u0085d\fe\rf"', '"g"']);
  });

  test("skips blank lines", () => {
    expect(read(["\n \n\r\n\t\na\n\n"])).toEqual(["a"]);
  });

  test("accepts a last line without LF", () => {
    expect(read(["a\nb"])).toEqual(["a", "b"]);
  });

  test("replaces invalid bytes and keeps the rest of the line", () => {
    expect(read([new Uint8Array([0x61, 0xff, 0x62, 0x0a])])).toEqual(["a\uFFFDb"]);
  });

  test("strips a byte order mark only at the start of the stream", () => {
    expect(read([bytes("\uFEFFa\n\uFEFFb\n")])).toEqual(["a", "\uFEFFb"]);
  });
});

test("skips a line above the limit and reads the next one", () => {
  expect(read(["ok\n", "12345", "67890", "1\n", "next\n"], 10)).toEqual(["ok", null, "next"]);
});

test("assembles a line of 64 MB from small chunks", () => {
  const size = 64 * 1024 * 1024;
  const chunk = new Uint8Array(64 * 1024).fill(0x61);
  const lengths: number[] = [];
  const reader = new LineReader({
    onLine: (line) => lengths.push(line.length),
    onOverlongLine: () => lengths.push(-1),
  });
  for (let sent = 0; sent < size; sent += chunk.length) reader.push(chunk);
  reader.push("\nx\n");
  expect(lengths).toEqual([size, 1]);
});
