// The packages that are plain JavaScript with types: ES modules, some also CommonJS.
import { copyFileSync, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildClient } from "../build-client.mjs";
import { buildConformance } from "../build-conformance.mjs";
import { findBun } from "../bun.mjs";
import { NODE_TYPES } from "../declaration-references.mjs";
import { root } from "../paths.mjs";
import { writeDeclarations } from "./declarations.mjs";
import { run } from "./run.mjs";
import { stagePackage } from "./stage.mjs";

/**
 * A row per package: its folder, additional fields of its published package.json, the build output it needs, and how
 * the staged directory is filled.
 */
export const LIBRARIES = [
  {
    folder: "packages/client",
    manifest: ({ files, exports }) => ({ engines: { node: ">=20" }, files, exports, ...NODE_TYPES }),
    build: buildClient,
    fill(directory) {
      cpSync(join(root, "packages/client/dist"), join(directory, "dist"), { recursive: true });
    },
  },
  {
    folder: "packages/conformance",
    manifest: ({ files, bin }) => ({ engines: { node: ">=20" }, files, bin }),
    build: buildConformance,
    fill(directory) {
      cpSync(join(root, "packages/conformance/dist"), join(directory, "dist"), { recursive: true });
    },
  },
  {
    folder: "packages/wire",
    manifest: ({ dependencies: { typebox } }) => ({
      files: ["dist"],
      exports: {
        ".": { types: "./dist/wire/index.d.ts", default: "./dist/index.js" },
        "./schemas": { types: "./dist/wire/schemas.d.ts", default: "./dist/schemas.js" },
        "./package.json": "./package.json",
      },
      dependencies: { typebox },
    }),
    fill(directory) {
      writeDeclarations(join(directory, "dist"), ["wire/src/index", "wire/src/schemas"]);
      const entries = ["index", "schemas"].map((name) => `packages/wire/src/${name}.ts`);
      // Code from unpublished packages is bundled into it.
      const options = ["--target=browser", "--format=esm", "--splitting", "--external", "typebox"];
      run(findBun(), [
        "build",
        ...entries,
        ...options,
        "--root",
        "packages/wire/src",
        "--outdir",
        join(directory, "dist"),
      ]);
    },
  },
];

/** @param {(typeof LIBRARIES)[number]} library */
export function stageLibrary({ folder, manifest, build, fill }, { isBuilt = false } = {}) {
  if (!isBuilt) build?.();
  const source = join(root, folder);
  const own = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  const { name, description, type, sideEffects } = own;
  const directory = stagePackage(name, { description, type, sideEffects, ...manifest(own) });
  fill(directory);
  copyFileSync(join(source, "README.md"), join(directory, "README.md"));
  return directory;
}
