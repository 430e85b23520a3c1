import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createEventReader } from "../../../../ai/src/transport/sse.ts";
import { createEventLines, formatEvent, type ServerEvent } from "../../../src/replay/recording/event-lines.ts";

const name = fc.option(fc.stringMatching(/^[a-z_.]{1,12}$/), { nil: undefined });
const data = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\uFEFF]/g, ""));
const event: fc.Arbitrary<ServerEvent> = fc
  .tuple(name, data)
  .map(([event, text]) => ({ ...(event !== undefined && { event }), data: text }));

function read(chunks: readonly string[]): { events: ServerEvent[]; half: ServerEvent | undefined } {
  const events: ServerEvent[] = [];
  const lines = createEventLines((next) => events.push(next));
  for (const chunk of chunks) lines.feed(chunk);
  return { events, half: lines.end() };
}

describe("events of a server", () => {
  test("reads back what it writes, wherever the text is split, with the same result as the adapters", () => {
    fc.assert(
      fc.property(fc.array(event), fc.integer({ min: 1, max: 30 }), (events, size) => {
        const text = events.map((next) => formatEvent(next, false)).join("");
        const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
          text.slice(n * size, (n + 1) * size),
        );
        expect(read(chunks)).toEqual({ events, half: undefined });

        const parsed: ServerEvent[] = [];
        const reader = createEventReader(({ event: name, data: said }) =>
          parsed.push({ ...(name !== undefined && { event: name }), data: said }),
        );
        reader.feed(new TextEncoder().encode(text));
        expect(parsed).toEqual(events);
      }),
    );
  });

  test("accepts all line breaks, and ignores comments and unknown fields", () => {
    const { events } = read([
      "\uFEFF: hi\r",
      "\nid: 7\r\nevent: a\rdata:1\r\ndata: 2\r\n\r",
      "\ndata\n\n",
      "retry: 5\n\n",
    ]);
    expect(events).toEqual([{ event: "a", data: "1\n2" }, { data: "" }]);
    expect(read(["data: 1\r", "\ndata: 2\r", "\n\r\n"]).events).toEqual([{ data: "1\n2" }]);
  });

  test("reads and writes a truncated event as incomplete", () => {
    const half = { event: "a", data: '{"x":' };
    expect(read(['data: 1\n\nevent: a\ndata: {"x":'])).toEqual({ events: [{ data: "1" }], half });
    expect(read([formatEvent(half, true)])).toEqual({ events: [], half });
  });
});
