/** Makes every attempt of the table with the means named by the first argument, and prints the results as JSON. */
import { rmSync } from "node:fs";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { ALL_ATTEMPTS } from "./escapes/all-attempts.ts";
import type { Attempt } from "./escapes/attempt.ts";
import { type AttemptResult, runAttempt, type Setting } from "./run-attempt.ts";
import { World } from "./world.ts";

export interface TableRow {
  attempt: Attempt;
  result: AttemptResult;
}

export async function runTable(setting: Setting, isMeant: (attempt: Attempt) => boolean): Promise<TableRow[]> {
  const base = scratchPath();
  const world = await World.open(scratchPath());
  try {
    const rows: TableRow[] = [];
    for (const attempt of Object.values(ALL_ATTEMPTS).flat().filter(isMeant)) {
      rows.push({ attempt, result: await runAttempt(attempt, { setting, base, world }) });
    }
    return rows;
  } finally {
    await world.close();
    rmSync(base, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const isRoot = process.getuid?.() === 0;
  const rows = await runTable(process.argv[2] as Setting, ({ needsRoot }) => isRoot || !needsRoot);
  await Bun.write(Bun.stdout, JSON.stringify(rows));
}
