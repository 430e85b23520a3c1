import { rmSync } from "node:fs";
import { scratchPath } from "../../../../../test/support/scratch-directory.mjs";
import { ProcessRunner } from "../../../src/processes/process-runner.ts";
import { probeStrength, usualBubblewrap } from "../../../src/sandbox/probe.ts";
import type { StrengthLevel } from "../../../src/sandbox/strength.ts";

/** The sandbox strength of this machine, with and without bubblewrap. */
export async function availableStrength(): Promise<{ full: StrengthLevel; partial: StrengthLevel }> {
  const directory = scratchPath();
  const processRunner = new ProcessRunner({ environment: process.env });
  try {
    const [full, partial] = [
      await probeStrength({ processRunner, directory, bubblewrap: usualBubblewrap() }),
      await probeStrength({ processRunner, directory }),
    ];
    return { full: full.strength.level, partial: partial.strength.level };
  } finally {
    await processRunner.killAll("shutdown", 0);
    rmSync(directory, { recursive: true, force: true });
  }
}
