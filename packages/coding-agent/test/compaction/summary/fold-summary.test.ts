import { describe, expect, test } from "bun:test";
import { estimateTextTokens } from "@pintle/ai";
import fc from "fast-check";
import { propertyRuns } from "../../../../agent/test/support/property-runs.ts";
import { CompactionError } from "../../../src/compaction/compaction-error.ts";
import { type FoldRequest, foldSummary } from "../../../src/compaction/summary/fold-summary.ts";
import { SummaryOverflow } from "../../../src/compaction/summary/summary-request.ts";
import { marks } from "../../support/compaction/bench.ts";
import { long } from "../../support/compaction/messages.ts";

interface Asked {
  text: string;
  maxTokens: number;
}

/** Answers with the names of everything it was shown; refuses requests larger than `window`. */
function reader(window = Number.POSITIVE_INFINITY) {
  const asked: Asked[] = [];
  const refused: Asked[] = [];
  const ask = async (prompt: Asked) => {
    if (estimateTextTokens(prompt.text) > window) {
      refused.push(prompt);
      throw new SummaryOverflow("prompt is too long");
    }
    asked.push(prompt);
    return marks(prompt.text).join(" ");
  };
  return { asked, refused, ask };
}

const request = (texts: readonly string[], fields: Partial<FoldRequest> = {}): FoldRequest => ({
  kind: "history",
  texts,
  maxTokens: 5_000,
  inputTokens: 20_000,
  ...fields,
});
const numbered = (count: number, tokens: number) =>
  Array.from({ length: count }, (_, index) => long(tokens, `m${index} `));

test("what fits is one request", async () => {
  const { ask, asked } = reader();
  expect(await foldSummary(request(numbered(3, 100)), ask)).toBe("m0 m1 m2");
  expect(asked).toHaveLength(1);
  expect(asked[0]?.maxTokens).toBe(5_000);
});

test("what does not fit is summarized in pieces, each with the summary of the previous ones", async () => {
  const { ask, asked } = reader();
  const summary = await foldSummary(request(numbered(10, 5_000), { previousSummary: "m99" }), ask);
  expect(marks(summary).sort()).toEqual([...marks(numbered(10, 1).join(" ")), "m99"].sort());
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.every(({ text }) => text.includes("<previous-summary>"))).toBe(true);
  expect(asked.at(-1)?.maxTokens).toBe(5_000);
});

test("a request that is refused as too long is repeated with less text", async () => {
  const { ask, refused } = reader(6_000);
  const summary = await foldSummary(request(numbered(10, 2_000)), ask);
  expect(marks(summary).sort()).toEqual(marks(numbered(10, 1).join(" ")).sort());
  expect(refused.length).toBeGreaterThan(0);
});

test("a model that refuses everything is not asked forever", async () => {
  const { ask, refused } = reader(0);
  await expect(foldSummary(request(numbered(3, 2_000)), ask)).rejects.toThrow(
    new CompactionError("failed", "Summarization failed: prompt is too long"),
  );
  expect(refused).toHaveLength(7);
});

test("an earlier summary that leaves no room is summarized itself", async () => {
  const { ask, asked } = reader();
  const summary = await foldSummary(request(["m1"], { previousSummary: long(30_000, "m0 ") }), ask);
  expect(marks(summary).sort()).toEqual(["m0", "m1"]);
  expect(asked.length).toBeGreaterThan(1);
});

test("stops if a model writes more than there is space for", async () => {
  let asked = 0;
  const ask = async ({ maxTokens }: Asked) => {
    asked += 1;
    return long(maxTokens * 2, "more");
  };
  await foldSummary(request(numbered(10, 2_000), { inputTokens: 6_000 }), ask);
  expect(asked).toBeLessThan(20);
});

describe("any messages, any space", () => {
  test("everything is read once, in order, in requests that fit", async () => {
    const text = fc.tuple(fc.nat(4_000), fc.constantFrom("x", "漢", "😀"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 12 }),
        fc.integer({ min: 1_500, max: 9_000 }),
        async (texts, room) => {
          const parts: string[] = [];
          const ask = async ({ text: prompt }: Asked) => {
            expect(estimateTextTokens(prompt)).toBeLessThanOrEqual(room + 5);
            const body = prompt.slice("<conversation>\n".length, prompt.indexOf("\n</conversation>"));
            expect(body.isWellFormed()).toBe(true);
            parts.push(body);
            return "so far";
          };
          const all = texts.map(([length, letter], index) => `${index}:${letter.repeat(length)}`);
          await foldSummary(request(all, { inputTokens: room, maxTokens: 100 }), ask);
          expect(parts.join("").replaceAll("\n\n", "")).toBe(all.join(""));
        },
      ),
      propertyRuns({ numRuns: 100, seed: 3 }),
    );
  });
});
