import { expect, test } from "bun:test";
import { estimateMessageTokens, estimateTextTokens, type ModelContext } from "@pintle/ai";
import type { ScriptedAnswer, ScriptStep } from "@pintle/ai/testing";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { makeTool, ok } from "../../../agent/test/support/tools.ts";
import { eventWords, MODEL, type TestBench, testBench } from "../support/compaction/bench.ts";
import { long } from "../support/compaction/messages.ts";

// A conversation never gets stuck, whatever the window. A server may refuse a request that is too large or silently drop its
// oldest part; it may count tokens differently from us, and have a smaller window than its configuration says.

type Server = {
  /** The configured window. */
  window: number;
  /** The window that the server really has, as a fraction of the configured one. */
  truth: number;
  /** How many tokens it counts for one that we estimate. */
  ratio: number;
  kind: "refuses" | "cuts";
  /** Whether it reports how many tokens it counted. */
  isCounting: boolean;
};

/** Parts of the window in thousandths, so that one script suits every window. */
type Turn = { prompt: number; results: number[]; answer: number };

const OVERHEAD = 3_000;
/** Above this fraction of the window nothing is guaranteed, because a summary and a prompt do not both fit. */
const MOST_OVERHEAD = 0.82;

const server: fc.Arbitrary<Server> = fc
  .record({
    window: fc.oneof(
      fc.constantFrom(4_096, 6_144, 8_192, 16_384, 20_000, 32_768, 65_536, 131_072, 200_000),
      fc.integer({ min: 4_096, max: 40_000 }),
    ),
    truth: fc.constantFrom(1, 1, 1, 0.9, 0.5, 0.25),
    ratio: fc.constantFrom(0.8, 1, 1, 1.1, 1.4),
    kind: fc.constantFrom("refuses" as const, "cuts" as const),
    isCounting: fc.boolean(),
  })
  .filter((facts) => OVERHEAD * facts.ratio < limitOf(facts) * MOST_OVERHEAD);

const turn: fc.Arbitrary<Turn> = fc.record({
  prompt: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 700 })),
  results: fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 3 }),
  answer: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 600 })),
});

test(
  "a short prompt is always answered in the end, whatever precedes it",
  async () => {
    await fc.assert(
      fc.asyncProperty(server, fc.array(turn, { minLength: 1, maxLength: 8 }), async (facts, turns) => {
        const { bench, say } = scene(facts);
        for (const one of turns) {
          await say(one);
          checkEvents(bench);
        }
        const short = { prompt: 1, results: [], answer: 1 };
        const ends: string[] = [];
        while (ends.at(-1) !== "stop" && ends.length < mostTries(facts)) ends.push(await say(short));
        expect({ facts, turns, ends }).toMatchObject({ ends: [...ends.slice(0, -1), "stop"] });
        checkEvents(bench);
      }),
      propertyRuns({ numRuns: 300, seed: 11 }),
    );
  },
  PROPERTY_TIMEOUT_MS,
);

/**
 * If the server has the window that it claims, the first short prompt may be refused because of a long one. Otherwise each
 * refusal reveals more.
 */
function mostTries({ truth, ratio }: Server): number {
  return truth >= 0.9 && ratio <= 1.1 ? 2 : 4;
}

/** Every start has an end, no compaction fails silently, and none follows another without an answer in between. */
function checkEvents({ events }: TestBench): void {
  const words = eventWords(events).filter((word) => /^(start|end|turn_end)/.test(word));
  for (const [at, word] of words.entries()) {
    if (word.startsWith("start")) expect(words[at + 1]).toStartWith(word.replace("start", "end"));
    if (word.startsWith("end ")) expect(word).not.toContain("skipped");
  }
  const results = words.filter((word) => word.startsWith("end ") && word.includes("result")).length;
  const answers = words.filter((word) => word === "turn_end").length;
  expect(results).toBeLessThanOrEqual(answers + 1);
}

function scene(facts: Server): { bench: TestBench; say(turn: Turn): Promise<string> } {
  const part = (thousandths: number) => Math.max(1, Math.floor((facts.window * thousandths) / 1_000));
  const results: string[] = [];
  const answers: (readonly ScriptStep[])[] = [];
  const usage: number[] = [];
  const bench: TestBench = testBench({
    model: { ...MODEL, contextWindow: facts.window },
    tools: [makeTool("bash", async () => ok(results.shift() ?? ""))],
    usage,
    answers: Array.from(
      { length: 200 },
      (): ScriptedAnswer =>
        ({ messages }) => {
          const counted = countedTokens(facts, OVERHEAD, messages);
          if (isRefused(facts, counted)) return TOO_LONG;
          usage.push(facts.isCounting ? Math.min(counted, limitOf(facts)) : 0);
          return answers.shift() ?? [{ text: "done" }];
        },
    ),
    summaries: Array.from(
      { length: 400 },
      (): ScriptedAnswer =>
        ({ systemPrompt, messages }, { maxTokens = 100 }) => {
          const counted = countedTokens(facts, estimateTextTokens(systemPrompt ?? ""), messages);
          return isRefused(facts, counted) ? TOO_LONG : [{ text: long(maxTokens) }];
        },
    ),
    parts: { overheadTokens: () => OVERHEAD },
  });
  return {
    bench,
    say: async ({ prompt, results: outputs, answer }) => {
      results.splice(0, results.length, ...outputs.map((size) => long(part(size))));
      answers.splice(0, answers.length, ...outputs.map(() => CALL), [{ text: long(Math.min(part(answer), 8_000)) }]);
      await bench.run(long(part(prompt)));
      const end = bench.events.findLast((event) => event.type === "agent_end");
      return end?.type === "agent_end" ? end.stopReason : "none";
    },
  };
}

const TOO_LONG = [{ fail: "overflow", message: "prompt is too long" }] as const;
const CALL = [{ call: "bash" }] as const;

function limitOf({ window, truth }: Server): number {
  return Math.floor(window * truth);
}

function countedTokens({ ratio }: Server, fixed: number, messages: ModelContext["messages"]): number {
  return Math.ceil(messages.reduce((sum, message) => sum + estimateMessageTokens(message), fixed) * ratio);
}

function isRefused(facts: Server, counted: number): boolean {
  return facts.kind === "refuses" && counted > limitOf(facts);
}
