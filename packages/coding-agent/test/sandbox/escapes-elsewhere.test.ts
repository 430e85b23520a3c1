import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { usualBubblewrap } from "../../src/sandbox/probe.ts";
import { availableStrength } from "../support/sandbox/available.ts";
import type { Setting } from "../support/sandbox/run-attempt.ts";
import type { TableRow } from "../support/sandbox/run-table.ts";
import { where } from "../support/where.ts";

const TABLE = resolve(import.meta.dir, "../support/sandbox/run-table.ts");
const isRoot = process.getuid?.() === 0;
const hasPython = process.platform === "linux" && existsSync("/usr/bin/python3");
const available = await availableStrength();
const bubblewrap = usualBubblewrap();
const LONG_MS = 600_000;

/** A user whom the system gives no more than it must. */
const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
/** Not in a checkout that lies in somebody's private directory. */
const canRead = isRoot && Bun.spawnSync([...AS_NOBODY, "cat", TABLE], { stdout: "ignore" }).exitCode === 0;

async function makeAttempts(around: readonly string[], setting: Setting): Promise<TableRow[]> {
  const child = Bun.spawn([...around, process.execPath, TABLE, setting], {
    env: { ...process.env, HOME: "/nonexistent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const rows: TableRow[] = JSON.parse(await new Response(child.stdout).text());
  expect(await child.exited).toBe(0);
  return rows;
}

/** Where less is possible anyway, only what must be stopped is looked at. */
function brokenPromises(rows: readonly TableRow[], isPromised: (row: TableRow) => boolean): unknown[] {
  return rows.filter((row) => isPromised(row) && row.result.escapes.length > 0).map(({ result }) => result);
}

where(
  hasPython && canRead && available.full === "full",
  "needs root, a checkout that others may read, bubblewrap and python3",
).test(
  "a user without rights has the same sandbox",
  async () => {
    const rows = await makeAttempts(AS_NOBODY, "full");
    expect(rows.length).toBeGreaterThanOrEqual(100);
    expect(new Set(rows.map(({ result }) => result.level))).toEqual(new Set(["full"]));
    expect(brokenPromises(rows, () => true)).toEqual([]);
  },
  LONG_MS,
);

where(hasPython && bubblewrap !== undefined && available.full === "full", "needs bubblewrap and python3").test(
  "inside another sandbox the probe finds what is left, and that keeps its promises",
  async () => {
    const around = [bubblewrap!, "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all"];
    const rows = await makeAttempts(around, "partial");
    expect(rows.length).toBeGreaterThanOrEqual(100);
    expect(brokenPromises(rows, ({ attempt }) => attempt.partial === "stopped")).toEqual([]);
  },
  LONG_MS,
);
