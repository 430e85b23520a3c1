// The type declarations of a package. TypeScript writes a file per source; this keeps those that an entry reaches, with
// relative paths between them, so that they do not depend on anything unpublished.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { withReferences } from "../declaration-references.mjs";
import { dist, root } from "../paths.mjs";
import { COMPILER_ENV, typescript } from "../typescript.mjs";
import { run } from "./run.mjs";

const IMPORT = /(\bfrom\s*|\bimport\s*\(?\s*)"([^"]+)"/g;

/** The entries of all published packages: TypeScript reads the sources once for all of them. */
const ENTRIES = ["coding-agent/src/index", "wire/src/index", "wire/src/schemas"];
const EMITTED = join(dist, "declarations");

/**
 * @param {string} directory where the declarations are written; existing ones are removed
 * @param {string[]} entries modules below packages/, without extension; `ai/src/index` is published as `ai/index.d.ts`
 */
export function writeDeclarations(directory, entries) {
  const ours = workspaceEntries();
  emit(ours);
  rmSync(directory, { recursive: true, force: true });
  const seen = new Set();
  const keep = (module) => {
    if (seen.has(module)) return;
    seen.add(module);
    const text = readFileSync(join(EMITTED, `${module}.d.ts`), "utf8").replace(IMPORT, (_, before, name) => {
      const target = name.startsWith(".") ? join(dirname(module), name.replace(/\.ts$/, "")) : ours.get(name);
      if (target === undefined) return `${before}"${name}"`; // a third-party package
      keep(target);
      return `${before}"${relativeName(published(module), published(target))}.js"`;
    });
    const path = join(directory, `${published(module)}.d.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withReferences(text));
  };
  entries.forEach(keep);
}

/** A published package has no `src` folder. */
function published(module) {
  return module.split(sep).join("/").replace("/src/", "/");
}

function relativeName(from, to) {
  const path = relative(dirname(from), to).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
}

/** name that sources import → its module, without extension, below packages/ */
function workspaceEntries() {
  const entries = new Map();
  for (const folder of readdirSync(join(root, "packages"))) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
    for (const [path, source] of Object.entries(exports)) {
      if (typeof source !== "string" || !source.endsWith(".ts")) continue;
      entries.set(join(name, path).split(sep).join("/"), join(folder, source).replace(/\.ts$/, ""));
    }
  }
  return entries;
}

let isEmitted = false;

function emit(ours) {
  if (isEmitted) return;
  rmSync(EMITTED, { recursive: true, force: true });
  const config = join(root, "dist/declarations.tsconfig.tmp");
  // Listed here, because modules found through node_modules count as libraries, which are not emitted.
  const paths = Object.fromEntries([...ours].map(([name, module]) => [name, [`../packages/${module}.ts`]]));
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    noCheck: true, // `npm test` has already checked the types
    rootDir: "../packages",
    outDir: EMITTED,
    paths,
  };
  writeFileSync(
    config,
    JSON.stringify({
      extends: "../tsconfig.json",
      compilerOptions,
      files: ENTRIES.map((module) => `../packages/${module}.ts`),
      include: [],
    }),
  );
  try {
    const [command, ...args] = typescript(["-p", config]);
    run(command, args, { env: { ...process.env, ...COMPILER_ENV } });
  } finally {
    rmSync(config);
  }
  isEmitted = true;
}
