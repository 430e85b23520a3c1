// `pintle`: the launcher, and the declarations for authors of extensions. The program comes with a package per platform.
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";
import { writeDeclarations } from "./declarations.mjs";
import { platformPackageNames } from "./platform-package.mjs";
import { commonManifest, stagePackage } from "./stage.mjs";

const SOURCE = join(root, "packages/coding-agent");
const LAUNCHER = ["pintle.cjs", "find-program.cjs", "start-program.cjs"];

export function stageMainPackage() {
  const { description, dependencies } = JSON.parse(readFileSync(join(SOURCE, "package.json"), "utf8"));
  const { version } = commonManifest();
  const directory = stagePackage("pintle", {
    description,
    keywords: ["agent", "coding-agent", "rpc", "embed", "llm"],
    type: "module",
    sideEffects: false,
    engines: { node: ">=20" },
    bin: { pintle: "bin/pintle.cjs" },
    exports: {
      ".": { types: "./types/coding-agent/index.d.ts" },
      "./package.json": "./package.json",
    },
    dependencies: { typebox: dependencies.typebox }, // its types are in those of an extension's tools
    optionalDependencies: Object.fromEntries(platformPackageNames().map((name) => [name, version])),
  });
  mkdirSync(join(directory, "bin"));
  for (const name of LAUNCHER) copyFileSync(join(SOURCE, "bin", name), join(directory, "bin", name));
  copyFileSync(join(SOURCE, "README.md"), join(directory, "README.md"));
  writeDeclarations(join(directory, "types"), ["coding-agent/src/index"]);
  return directory;
}
