import { expect, test } from "bun:test";
import fc from "fast-check";
import { brokenInvariants } from "./support/interleaving/invariants.ts";
import { type Plan, plans } from "./support/interleaving/plan.ts";
import { World } from "./support/interleaving/world.ts";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "./support/property-runs.ts";

/** Plays the plan, lets everything end, prompts again (which delivers what waited), and reports what went wrong. */
async function play(plan: Plan): Promise<string[]> {
  const world = new World(plan);
  await world.play();
  await world.settle();
  await world.promptUntilEmpty();
  await Promise.all(world.chronicle.comparisons);
  return brokenInvariants(world);
}

test(
  "every interleaving of prompts, steering, aborts, answers, tools and hooks keeps the invariants",
  async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => expect(await play(plan)).toEqual([])),
      propertyRuns({ numRuns: 2000, seed: 3 }),
    );
  },
  PROPERTY_TIMEOUT_MS,
);
