import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { JobOutput } from "../../src/jobs/job-output.ts";

const directory = scratchPath();
let files = 0;
const target = (maxBytes = 64 * 1024 * 1024) => ({
  newPath() {
    files += 1;
    return join(directory, `${files}.log`);
  },
  maxBytes,
});

async function readAll(output: JobOutput, pieceBytes: number): Promise<string> {
  let text = "";
  for (let at = 0; at < output.bytes; ) {
    const part = await output.read(at, pieceBytes);
    expect(part).toMatchObject({ fromByte: at, reset: false, truncated: false });
    text += part.text;
    at = part.nextByte;
  }
  return text;
}

describe("the output of a job", () => {
  test("is read whole in pieces of any size, however it arrived", async () => {
    const words = fc.array(fc.oneof(fc.string({ unit: "grapheme", maxLength: 20 }), fc.constant("line\n")), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(
        words,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 40 }),
        async (texts, cut, pieceBytes) => {
          const whole = texts.join("").replace(/[\p{Cc}\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069]/gu, "x");
          const output = new JobOutput(target());
          output.store();
          const bytes = Buffer.from(whole);
          for (let at = 0; at < bytes.length; at += cut) await output.append(bytes.subarray(at, at + cut));
          await output.close();
          const { text } = await output.read(0, bytes.length + 4);
          expect(await readAll(output, pieceBytes)).toBe(text);
          expect(output.bytes).toBe(Buffer.byteLength(text));
        },
      ),
      { numRuns: 60 },
    );
  });

  test("stays readable from the start after the memory is full, through the file", async () => {
    const output = new JobOutput(target());
    output.store();
    const line = `${"0123456789".repeat(100)}\n`;
    for (let n = 0; n < 2_000; n += 1) await output.append(Buffer.from(line));
    await output.close();
    expect(await readAll(output, 300_000)).toBe(line.repeat(2_000));
    expect(output.tail(1_001)).toBe(`[The beginning is omitted.]\n${line}`);
  });

  test("names what was not kept: beyond the file's limit only the end remains", async () => {
    const output = new JobOutput(target(1_000));
    output.store();
    for (let n = 0; n < 1_000; n += 1) await output.append(Buffer.from(`${"x".repeat(999)}\n`));
    await output.close();
    const first = await output.read(0, 100);
    expect(first).toMatchObject({ fromByte: 0, nextByte: 100, truncated: false });
    const lost = await output.read(2_000, 100);
    expect(lost.truncated).toBe(true);
    expect(lost.fromByte).toBeGreaterThan(2_000);
  });

  test("a position beyond the end starts again", async () => {
    const output = new JobOutput(undefined);
    await output.append(Buffer.from("a\n"));
    expect(await output.read(3, 100)).toEqual({ text: "a\n", fromByte: 0, nextByte: 2, reset: true, truncated: false });
    expect(await output.read(2, 100)).toEqual({ text: "", fromByte: 2, nextByte: 2, reset: false, truncated: false });
  });

  test("a progress bar is reported as a terminal would show it, without escape sequences", async () => {
    const output = new JobOutput(undefined);
    await output.append(Buffer.from("10%\r20%\r\u001b[31m100%\u001b[0m\nready\n"));
    await output.close();
    expect(output.tail(1_000)).toBe("100%\nready\n");
  });
});
