import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ProviderError } from "../../src/errors.ts";
import { createEventReader, type ServerEvent } from "../../src/transport/sse.ts";

const encoder = new TextEncoder();

/** Returns the events of a string that arrives in the given chunks. */
function read(...chunks: (string | Uint8Array)[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const reader = createEventReader(({ event, data }) => events.push({ ...(event !== undefined && { event }), data }));
  for (const chunk of chunks) reader.feed(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
  reader.end();
  return events;
}

function cutAt(bytes: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const cuts = [0, ...positions.map((at) => at % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
}

const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replace(/[\r\n\0]/g, ""));
const sentEvent = fc.record(
  { name: line.filter((name) => name !== ""), lines: fc.array(line, { minLength: 1, maxLength: 3 }), comment: line },
  { requiredKeys: ["lines"] },
);
type SentEvent = { name?: string; lines: string[]; comment?: string };

function frame({ name, lines, comment }: SentEvent, end: string): string {
  return [
    ...(comment === undefined ? [] : [`: ${comment}`]),
    ...(name === undefined ? [] : [`event: ${name}`]),
    ...lines.map((text) => `data: ${text}`),
    "",
    "",
  ].join(end);
}

test("any chunking of the bytes gives the same events, with any line ending and a byte order mark", () => {
  fc.assert(
    fc.property(
      fc.array(sentEvent, { maxLength: 6 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.constantFrom("", "\uFEFF"),
      fc.array(fc.nat(2000), { maxLength: 40 }),
      (sent, end, bom, positions) => {
        const bytes = encoder.encode(bom + sent.map((event) => frame(event, end)).join(""));
        const expected = sent.map(({ name, lines }) => ({ ...(name && { event: name }), data: lines.join("\n") }));
        expect(read(...cutAt(bytes, positions))).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});

test("text cut inside every multi-byte character is reassembled", () => {
  const text = 'event: x\ndata: {"t":"Hällo 🌍 日本語"}\n\n';
  const bytes = encoder.encode(text);
  expect(read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual([
    { event: "x", data: '{"t":"Hällo 🌍 日本語"}' },
  ]);
});

describe("the end of the body", () => {
  test.each(["data: last", "data: last\n", "data: last\r", "data: last\r\n"])(
    "delivers an event that ends as %j",
    (text) => {
      expect(read(text)).toEqual([{ data: "last" }]);
    },
  );
  test("inside a character delivers what has arrived", () => {
    expect(read(encoder.encode("data: ä").subarray(0, -1))).toEqual([{ data: "\uFFFD" }]);
  });
  test("after complete events adds nothing", () => {
    expect(read("data: a\n\n", ": bye\n\n", "event: nameless\n\n")).toEqual([{ data: "a" }]);
  });
});

test("comments, retry lines, ids and unknown fields are not events", () => {
  expect(read(": keep-alive\n\nretry: soon\nid: 7\nfoo: bar\ngarbage\ndata: a\n\n")).toEqual([{ data: "a" }]);
});

test("an event that grows without limit is refused", () => {
  const reader = createEventReader(() => {});
  const megabyte = encoder.encode("x".repeat(1024 * 1024));
  reader.feed(encoder.encode("data: "));
  expect(() => {
    for (let count = 0; count < 70; count += 1) reader.feed(megabyte);
  }).toThrow(new ProviderError("protocol", "The server sent an event of more than 67108864 characters"));
});
