import { expect } from "bun:test";
import { chmodSync, existsSync } from "node:fs";
import { resolve } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { isRoot, NOBODY, reachable, sharedTemporary } from "../../../coding-agent/test/support/other-user.ts";
import { where } from "../../../coding-agent/test/support/where.ts";
import { usualBubblewrap } from "../../src/sandbox/probe.ts";
import { availableStrength } from "../support/sandbox/available.ts";
import type { Setting } from "../support/sandbox/run-attempt.ts";
import type { TableRow } from "../support/sandbox/run-table.ts";

const TABLE = resolve(import.meta.dir, "../support/sandbox/run-table.ts");
const hasPython = process.platform === "linux" && existsSync("/usr/bin/python3");
const available = await availableStrength();
const bubblewrap = usualBubblewrap();
const LONG_MS = 600_000;

/** An unprivileged user. */
const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

const folder = scratchPath(sharedTemporary());

/**
 * One file with everything that the table imports, because the unprivileged user may not be able to read the checkout.
 */
async function bundledTable(): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [TABLE], outdir: folder, target: "bun" });
  chmodSync(folder, 0o755);
  return outputs[0]!.path;
}

async function makeAttempts(around: readonly string[], setting: Setting): Promise<TableRow[]> {
  const bun = reachable(process.execPath, `bun-${Bun.version}`);
  const child = Bun.spawn([...around, bun, await bundledTable(), setting], {
    cwd: folder,
    env: { ...process.env, HOME: "/nonexistent", TMPDIR: sharedTemporary() },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const rows: TableRow[] = JSON.parse(await new Response(child.stdout).text());
  expect(await child.exited).toBe(0);
  return rows;
}

/** Where less is possible anyway, only attempts that must be stopped are checked. */
function brokenPromises(rows: readonly TableRow[], isPromised: (row: TableRow) => boolean): unknown[] {
  return rows.filter((row) => isPromised(row) && row.result.escapes.length > 0).map(({ result }) => result);
}

where(hasPython && isRoot && available.full === "full", "needs root, bubblewrap and python3").test(
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
