import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessRunner } from "../../../src/processes/process-runner.ts";
import { probeStrength, usualBubblewrap } from "../../../src/sandbox/probe.ts";
import type { StrengthLevel } from "../../../src/sandbox/strength.ts";

/** What this machine gives, with and without bubblewrap. */
export async function availableStrength(): Promise<{ full: StrengthLevel; partial: StrengthLevel }> {
  const directory = mkdtempSync(join(tmpdir(), "pintle-available-"));
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
