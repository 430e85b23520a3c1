import { describe, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { scratchDirectory } from "../../../../../test/support/scratch-directory.mjs";
import { OutputSpill, type SpillTarget } from "../../../src/processes/output/output-spill.ts";

function target(directory: string, maxBytes = 1_000_000): SpillTarget {
  let count = 0;
  return { maxBytes, newPath: () => join(directory, `${++count}.bash.log`) };
}

async function spillAll(to: SpillTarget, chunks: readonly string[]) {
  const spill = new OutputSpill(to);
  for (const chunk of chunks) await spill.write(Buffer.from(chunk));
  return spill.finish();
}

describe("the file of the whole output", () => {
  test("holds every byte in order and is private", async () => {
    using scratch = scratchDirectory();
    const chunks = Array.from({ length: 3000 }, (_, i) => `${i} `.repeat(300));
    const { path, isCapped, error } = await spillAll(target(scratch.path, 1e9), chunks);
    expect({ isCapped, error }).toEqual({ isCapped: false, error: undefined });
    expect(readFileSync(path!, "utf8") === chunks.join("")).toBe(true);
    expect(statSync(path!).mode & 0o777).toBe(0o600);
  });

  test("stops at the limit and reports it in its last line", async () => {
    using scratch = scratchDirectory();
    const { path, isCapped } = await spillAll(target(scratch.path, 10), ["12345", "678", "90abc", "more"]);
    expect(isCapped).toBe(true);
    expect(readFileSync(path!, "utf8")).toBe("1234567890\n[pintle: only the first 10 bytes of the output are kept]\n");
  });

  test("is not called incomplete when the output is exactly as long as the limit", async () => {
    using scratch = scratchDirectory();
    const { path, isCapped } = await spillAll(target(scratch.path, 10), ["12345", "67890"]);
    expect({ isCapped, text: readFileSync(path!, "utf8") }).toEqual({ isCapped: false, text: "1234567890" });
  });

  test("never replaces a file that is there", async () => {
    using scratch = scratchDirectory();
    writeFileSync(join(scratch.path, "1.bash.log"), "older");
    const { path } = await spillAll(target(scratch.path), ["new"]);
    expect(path).toBe(join(scratch.path, "2.bash.log"));
    expect(readFileSync(join(scratch.path, "1.bash.log"), "utf8")).toBe("older");
  });

  test("a directory that does not exist is reported and nothing is thrown", async () => {
    using scratch = scratchDirectory();
    const result = await spillAll(target(join(scratch.path, "missing")), ["a", "b"]);
    expect(result).toMatchObject({ isCapped: false, error: { code: "ENOENT" } });
    expect(result.path).toBeUndefined();
  });

  test("holds the same bytes whatever the pieces and the pauses between them", async () => {
    using scratch = scratchDirectory();
    let count = 0;
    const to: SpillTarget = { maxBytes: 1e9, newPath: () => join(scratch.path, `${++count}.bash.log`) };
    const size = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 200_000, max: 700_000 }));
    const piece = fc.record({ size, letter: fc.constantFrom("a", "b", "c"), pauses: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 6 }), async (pieces) => {
        const texts = pieces.map((one) => one.letter.repeat(one.size));
        const spill = new OutputSpill(to);
        for (const [index, text] of texts.entries()) {
          const full = spill.write(Buffer.from(text));
          if (pieces[index]!.pauses) await new Promise(setImmediate);
          await full;
        }
        const { path } = await spill.finish();
        const whole = texts.join("");
        expect(path === undefined ? "" : readFileSync(path, "utf8")).toBe(whole);
      }),
      { numRuns: Number(process.env.PINTLE_PROPERTY_RUNS ?? 40), seed: 46 },
    );
  });
});
