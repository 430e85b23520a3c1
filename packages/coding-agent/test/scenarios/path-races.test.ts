import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { PATH_RACES, runRace } from "../support/scenarios/path-race.ts";
import { where } from "../support/where.ts";

// File tools must use exactly the file that was approved, whenever a directory and a link are swapped.

const linux = where(
  process.platform === "linux" && existsSync("/usr/bin/python3"),
  "needs Linux and python3, for an exchange in one step",
);

const TURNS = 6;

for (const [name, race] of Object.entries(PATH_RACES)) {
  linux.test(
    `no call to ${name} follows a link that was replaced`,
    async () => {
      const { calls, inside, outside } = await runRace(race, TURNS);
      expect({ calls, outside }).toEqual({ calls: TURNS * 100, outside: 0 });
      expect(inside).toBeGreaterThan(0);
    },
    120_000,
  );
}
