// Builds the product: dist/pintle (one compiled program) and dist/cli.js for hosts that start a script.
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildClient } from "./build-client.mjs";
import { buildConformance } from "./build-conformance.mjs";
import { bundleProgram, compileProgram } from "./compile.mjs";
import { ensureInstalled } from "./ensure.mjs";
import * as astGrep from "./native/ast-grep.mjs";
import * as ripgrep from "./native/ripgrep.mjs";
import { dist, program, root } from "./paths.mjs";

function build() {
  mkdirSync(join(dist, "native"), { recursive: true });
  const fresh = join(dist, `new-${basename(program)}`); // Bun adds the extension that Windows needs
  compileProgram(fresh);
  renameSync(fresh, program); // a running program keeps its file
  // For `bun cli.js` on a platform without a compiled program.
  bundleProgram(join(dist, "pintle.bundle.js"));
  astGrep.copyTo(join(dist, "native"));
  ripgrep.copyTo(join(dist, "native"));
  for (const name of ["cli.js", "start-program.cjs"])
    copyFileSync(join(root, "packages/coding-agent/bin", name), join(dist, name));
  writeFileSync(join(dist, "package.json"), '{ "type": "module" }\n');
  buildClient();
  buildConformance();
}

await ensureInstalled();
build();
console.log("built dist/pintle");
