import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { where } from "../../../coding-agent/test/support/where.ts";
import { availableStrength } from "../support/sandbox/available.ts";
import { ALL_ATTEMPTS } from "../support/sandbox/escapes/all-attempts.ts";
import type { Attempt } from "../support/sandbox/escapes/attempt.ts";
import { NETWORK } from "../support/sandbox/escapes/network.ts";
import { PROXY } from "../support/sandbox/escapes/proxy.ts";
import { runAttempt, type Setting } from "../support/sandbox/run-attempt.ts";
import { World } from "../support/sandbox/world.ts";

const isRoot = process.getuid?.() === 0;
const hasPython = process.platform === "linux" && existsSync("/usr/bin/python3");
const available = await availableStrength();

/** The expected result of an attempt in each setting; undefined if it is not made there. */
const SETTINGS: readonly SettingRow[] = [
  { setting: "full", isThere: available.full === "full", need: "needs bubblewrap", expected: () => "stopped" },
  {
    setting: "listed",
    isThere: available.full === "full",
    need: "needs bubblewrap",
    expected: () => "stopped",
    attempts: { network: NETWORK, proxy: PROXY },
  },
  {
    setting: "partial",
    isThere: available.partial === "partial",
    need: "needs Landlock",
    expected: ({ partial }) => (partial === "stopped" ? "stopped" : "passes"),
  },
  // An attempt that would fail here even without a sandbox proves nothing about the sandbox.
  {
    setting: "bare",
    isThere: true,
    need: "",
    expected: ({ notBare }) => (notBare === undefined ? "passes" : undefined),
  },
];

interface SettingRow {
  setting: Setting;
  isThere: boolean;
  need: string;
  expected: Expectation;
  /** By default, in all settings. */
  attempts?: Readonly<Record<string, readonly Attempt[]>>;
}

const LEVELS = { full: "full", listed: "full", partial: "partial", bare: "none" } as const;

type Expectation = (attempt: Attempt) => "stopped" | "passes" | undefined;

for (const { setting, isThere, need, expected, attempts: all = ALL_ATTEMPTS } of SETTINGS) {
  where(isThere && hasPython, hasPython ? need : "needs Linux and python3").describe(
    `attempts to escape: ${setting}`,
    () => {
      let world: World;
      let base: string;
      beforeAll(async () => {
        base = scratchPath();
        world = await World.open(scratchPath());
      });
      afterAll(async () => {
        await world.close();
        rmSync(base, { recursive: true, force: true });
      });

      for (const [kind, attempts] of Object.entries(all)) {
        for (const attempt of attempts) {
          const outcome = expected(attempt);
          if (outcome === undefined) continue;
          where(isRoot || !attempt.needsRoot, "needs root").test(`${kind}: ${attempt.name}`, async () => {
            const { escapes, level, output } = await runAttempt(attempt, { setting, base, world });
            expect(level).toBe(LEVELS[setting]);
            if (outcome === "stopped") expect({ escapes, output }).toEqual({ escapes: [], output });
            else expect(escapes, output).not.toEqual([]);
          });
        }
      }
    },
  );
}

test("there are enough attempts, and none twice", () => {
  const names = Object.values(ALL_ATTEMPTS).flatMap((attempts) => attempts.map(({ name }) => name));
  expect(names.length).toBeGreaterThanOrEqual(120);
  expect(new Set(names).size).toBe(names.length);
});
