import { expect, test } from "bun:test";
import { soak } from "../../../../bench/soak/gateway.ts";

test("after hosts come and go, sessions contain every prompt exactly once and nothing is left over", async () => {
  const { wrong, exitCode, processesLeft, cuts, prompts, first, last } = await soak({
    sessions: 6,
    hosts: 4,
    ms: 3_000,
    everyMs: 60_000,
    report: () => {},
  });
  expect({ wrong, exitCode, processesLeft }).toEqual({ wrong: [], exitCode: 0, processesLeft: 0 });
  expect(prompts).toBeGreaterThanOrEqual(4);
  expect(cuts).toBeLessThanOrEqual(prompts);
  expect(last.descriptors).toBeLessThanOrEqual(first.descriptors + 8);
}, 120_000);
