import { expect } from "bun:test";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { where } from "../../../coding-agent/test/support/where.ts";
import { Layer, type LayerStrength } from "../../src/layers/index.ts";
import { ProcessRunner } from "../../src/processes/process-runner.ts";
import { runInLayer, worksHere } from "../support/layers.ts";

const NAMES = ["a", "b", "c"];
/** A path of one to three names, so that files and directories often collide. */
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

/** Shell commands; those that are impossible at the moment fail, as they would for a model. */
const operation = fc.oneof(
  fc.tuple(path, fc.nat(3)).map(([to, text]) => `mkdir -p "$(dirname ${to})"; echo ${text} > ${to}`),
  path.map((at) => `rm -rf ${at}`),
  path.map((at) => `rm -rf ${at}; mkdir -p ${at}`),
  fc.tuple(path, path).map(([from, to]) => `mv ${from} ${to}`),
  fc.tuple(path, path).map(([from, to]) => `cp -r ${from} ${to}`),
  fc.tuple(path, path).map(([target, at]) => `ln -s ${target} ${at}`),
  fc.tuple(path, path).map(([from, to]) => `ln ${from} ${to}`),
  fc.tuple(path, fc.constantFrom("600", "644", "755")).map(([at, mode]) => `[ -L ${at} ] || chmod ${mode} ${at}`),
  path.map((at) => `echo more >> ${at}`),
  path.map((at) => `touch -c ${at}`),
);

/** Returns each file and link of a tree. Directories matter only for their content. */
function filesOf(root: string, files: Record<string, string> = {}, directory = ""): Record<string, string> {
  for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
    const name = join(directory, entry.name);
    if (entry.isDirectory()) filesOf(root, files, name);
    else files[name] = stateOf(join(root, name)) ?? "something else";
  }
  return files;
}

function stateOf(file: string): string | undefined {
  const stats = lstatSync(file);
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(file)}`;
  return stats.isFile() ? `${(stats.mode & 0o777).toString(8)} ${readFileSync(file, "utf8")}` : undefined;
}

async function check(strength: LayerStrength, before: readonly string[], during: readonly string[]) {
  using scratch = scratchDirectory();
  const work = join(scratch.path, "work");
  mkdirSync(work);
  const processRunner = new ProcessRunner({ environment: process.env });
  try {
    Bun.spawnSync(["/bin/sh", "-c", before.join("\n")], { cwd: work, stdio: ["ignore", "ignore", "ignore"] });
    const original = filesOf(work);
    const directory = join(scratch.path, "layers");
    const layer = await Layer.start({ directory, id: "tx", roots: [work], strengths: [strength], processRunner });
    try {
      await runInLayer(processRunner, layer, during.join("\n"), work);
      expect(filesOf(work)).toEqual(original);

      const expected = filesOf(layer.rootOf(work));
      const predicted: Record<string, string> = { ...original };
      const { changes } = layer.changes();
      for (const { path, state, isBaseUnchanged } of changes) {
        const name = relative(work, path);
        expect(isBaseUnchanged).toBe(true);
        if (state === "deleted") delete predicted[name];
        else predicted[name] = stateOf(join(layer.rootOf(work), name)) ?? "a directory";
      }
      expect(predicted).toEqual(expected);
      // None of them is redundant.
      for (const { path } of changes) expect(original[relative(work, path)]).not.toBe(expected[relative(work, path)]);

      layer.close();
      const again = (await Layer.reopen({ directory, id: "tx", processRunner })) as Layer;
      expect(again.changes().changes).toEqual(changes);
      expect(filesOf(again.rootOf(work))).toEqual(expected);
      again.close();
    } finally {
      Layer.remove({ directory, id: "tx" });
    }
  } finally {
    await processRunner.killAll("shutdown", 0);
  }
}

for (const strength of ["overlay", "copy"] as const) {
  where(worksHere(strength), `needs namespaces for ${strength}`).test(
    `the changes of a layer by ${strength}, made to the workspace, give what the layer shows`,
    () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(operation, { maxLength: 12 }),
          fc.array(operation, { minLength: 1, maxLength: 12 }),
          (before, during) => check(strength, before, during),
        ),
        propertyRuns({ numRuns: 40, seed: 51 }),
      ),
    120_000,
  );
}
