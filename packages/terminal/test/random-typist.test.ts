import { expect, test } from "bun:test";
import { typeAtRandom } from "./support/random-typist.ts";

const TYPING_MS = 8_000;

// `bun bench/soak/typist.ts` does the same for minutes.
test("a user who types without looking allows, applies, confirms and trusts nothing", async () => {
  const { calls, chosen, done } = await typeAtRandom(37, TYPING_MS);
  expect(done.filter((effect) => !chosen.includes(effect))).toEqual([]);
  expect(calls).toBeGreaterThan(2);
});
