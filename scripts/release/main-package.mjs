// `pintle`: the launcher, the library for Bun, and its declarations, which authors of extensions use as well. The
// program is in a package per platform.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBun } from "../bun.mjs";
import { NODE_TYPES } from "../declaration-references.mjs";
import { root } from "../paths.mjs";
import { writeDeclarations } from "./declarations.mjs";
import { platformPackageNames } from "./platform-package.mjs";
import { run } from "./run.mjs";
import { commonManifest, stagePackage } from "./stage.mjs";

const SOURCE = join(root, "packages/coding-agent");
const LAUNCHER = ["pintle.cjs", "find-program.cjs", "start-program.cjs"];

/** @param {{ notices: string }} options `notices`: the licenses of what is bundled into the library */
export function stageMainPackage({ notices }) {
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
      ".": { types: "./types/coding-agent/index.d.ts", bun: "./lib/index.js", default: "./lib/needs-bun.js" },
      "./package.json": "./package.json",
    },
    dependencies: { typebox: dependencies.typebox }, // its types are part of an extension tool's types
    optionalDependencies: Object.fromEntries(platformPackageNames().map((name) => [name, version])),
    ...NODE_TYPES,
  });
  mkdirSync(join(directory, "bin"));
  for (const name of LAUNCHER) copyFileSync(join(SOURCE, "bin", name), join(directory, "bin", name));
  copyFileSync(join(SOURCE, "README.md"), join(directory, "README.md"));
  writeFileSync(join(directory, "THIRD-PARTY-NOTICES.txt"), notices);
  writeLibrary(join(directory, "lib"));
  writeDeclarations(join(directory, "types"), ["coding-agent/src/index"]);
  return directory;
}

/**
 * Writes the module behind `import { createAgentSession } from "pintle"` on Bun. On other runtimes the import explains
 * what to use. `typebox` is bundled, as in the program: modules that the library loads import `typebox` from it, so the
 * library must not resolve that name itself.
 */
function writeLibrary(directory) {
  const source = "packages/coding-agent/src";
  const options = ["--target=bun", "--format=esm", "--splitting", "--minify-syntax", "--minify-whitespace"];
  const places = ["--root", source, "--outdir", directory];
  run(findBun(), ["build", `${source}/index.ts`, ...options, ...places]);
  const index = JSON.stringify(join(directory, "index.js"));
  const names = JSON.parse(run(findBun(), ["-e", `console.log(JSON.stringify(Object.keys(await import(${index}))))`]));
  writeFileSync(join(directory, "needs-bun.js"), renderAdvice(names));
}

/** The names exist, because without them Node would complain about the first one and never reach our message. */
function renderAdvice(names) {
  const advice = "pintle is a library for Bun; from Node, start it with the package @pintle/client";
  const exported = names.map((name) => `export const ${name} = undefined;\n`).join("");
  return `${exported}throw new Error(${JSON.stringify(advice)});\n`;
}
