import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessGateway } from "../../../src/processes/process-gateway.ts";
import { probeStrength, usualBubblewrap } from "../../../src/sandbox/probe.ts";
import type { StrengthLevel } from "../../../src/sandbox/strength.ts";

/** What this machine gives, with and without bubblewrap. */
export async function availableStrength(): Promise<{ full: StrengthLevel; partial: StrengthLevel }> {
  const directory = mkdtempSync(join(tmpdir(), "pintle-available-"));
  const gateway = new ProcessGateway({ environment: process.env });
  try {
    const [full, partial] = [
      await probeStrength({ gateway, directory, bubblewrap: usualBubblewrap() }),
      await probeStrength({ gateway, directory }),
    ];
    return { full: full.strength.level, partial: partial.strength.level };
  } finally {
    await gateway.killAll("shutdown", 0);
    rmSync(directory, { recursive: true, force: true });
  }
}
