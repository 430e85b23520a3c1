import { expect, test } from "bun:test";
import fc from "fast-check";
import { StderrTail } from "../../src/process/server-process.ts";

test("keeps the end of what was written, in whole characters", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary", maxLength: 12 })),
      fc.integer({ min: 0, max: 40 }),
      (parts, limit) => {
        const tail = new StderrTail(limit);
        for (const part of parts) tail.push(new TextEncoder().encode(part));
        const all = parts.join("").toWellFormed();
        const text = tail.text();
        expect(all.endsWith(text)).toBe(true);
        const bytes = new TextEncoder().encode(text).length;
        const whole = new TextEncoder().encode(all).length;
        expect(bytes).toBeLessThanOrEqual(limit);
        expect(bytes).toBeGreaterThan(Math.min(whole, limit) - 4); // shorter by at most the rest of one character
      },
    ),
    {
      examples: [
        [["aé", "ü"], 4],
        [["abcd"], 4],
        [["abc", "defgh"], 4],
      ],
    },
  );
});
