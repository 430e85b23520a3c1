import { expect, test } from "bun:test";
import fc from "fast-check";
import { OutputCollector } from "../../../src/processes/output/output-collector.ts";

const text = fc.array(fc.constantFrom("a", "é", "€", "😀", "\n"), { maxLength: 300 }).map((list) => list.join(""));

test("however the bytes are divided into chunks, the result is the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 4, max: 200 }),
      async (all, size, maxBytes) => {
        const bytes = Buffer.from(all);
        const limits = { maxLines: 1000, maxBytes };
        const [whole, divided] = [new OutputCollector(limits, undefined), new OutputCollector(limits, undefined)];
        void whole.append(bytes);
        for (let at = 0; at < bytes.length; at += size) void divided.append(bytes.subarray(at, at + size));
        const result = await divided.finish();
        expect(result).toEqual(await whole.finish());
        expect(all.endsWith(result.text)).toBe(true);
        expect(result.text).not.toContain("\ufffd");
        expect(result.isCut).toBe(bytes.length > maxBytes);
        expect(result.totalBytes).toBe(bytes.length);
      },
    ),
  );
});

test("a look in between is short and changes nothing", async () => {
  const collector = new OutputCollector({ maxLines: 10, maxBytes: 100 }, undefined);
  void collector.append(Buffer.from(`${"x".repeat(30)}\nlast €`));
  expect(collector.peek(9)).toBe("last €");
  expect((await collector.finish()).text).toBe(`${"x".repeat(30)}\nlast €`);
});
