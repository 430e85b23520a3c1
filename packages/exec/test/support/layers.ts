import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { Layer, type LayerStrength } from "../../src/layers/index.ts";
import { ProcessRunner } from "../../src/processes/process-runner.ts";

const known = new Map<LayerStrength, boolean>();

for (const strength of ["overlay", "copy"] as const) known.set(strength, await tryOut(strength));

/** Whether this system can make such a layer with namespaces. */
export function worksHere(strength: LayerStrength): boolean {
  return known.get(strength) ?? false;
}

async function tryOut(strength: LayerStrength): Promise<boolean> {
  const scratch = scratchPath();
  const processRunner = new ProcessRunner({ environment: process.env });
  try {
    const work = join(scratch, "work");
    mkdirSync(work);
    const directory = join(scratch, "layers");
    const layer = await Layer.start({ directory, id: "probe", roots: [work], strengths: [strength], processRunner });
    layer.discard();
    return layer.missing.length === 0;
  } catch {
    return false;
  } finally {
    await processRunner.killAll("shutdown", 0);
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Runs a script in the layer, without a sandbox of its own, and returns what it printed. */
export async function runInLayer(processRunner: ProcessRunner, layer: Layer, script: string, cwd: string) {
  const command = layer.command(["/bin/sh", "-c", script], { cwd, isSandboxed: false });
  const child = processRunner.start({ command, cwd: "/", stderr: "merge" });
  let text = "";
  for (let chunk = await child.stdout.read(); chunk; chunk = await child.stdout.read()) {
    text += Buffer.from(chunk).toString();
  }
  await child.stdout.close();
  await child.exited;
  return text;
}
