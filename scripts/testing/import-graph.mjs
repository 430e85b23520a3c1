// The files of the repository that a module depends on: its imports, and the files and folders whose paths it spells
// out.
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

const SCRIPT = /\.(?:ts|mjs|cjs|js)$/;
const PYTHON = /\.py$/;
const SOURCES = /^packages(?:\/[^/]+(?:\/src(?:\/.*)?)?)?$/;
/** `import x, { y } from "z"` and `export { y } from "z"`, with or without `type`. */
const IMPORT = /^[ \t]*(import|export)\s+(type\s+)?([\w$*{}\s,]*?)\s*from\s*["']([^"'\n]+)["']/gm;
const OTHER_IMPORT = /\b(?:import|require)(?:\s*\(\s*|\s+)["'`]([^"'`\n]+)["'`]/g;
const PYTHON_IMPORT = /^\s*(?:from\s+([\w.]+)\s+import\s+([\w, ]+)|import\s+([\w.]+))/gm;
/** A path in a string. A name without a slash is usually something else, except for the build folder. */
const PATH = /["'`]((?:\.{0,2}\/)?[\w@.-]+(?:\/[\w@.-]+)+|dist)\/?["'`]/g;

/**
 * Returns the dependencies of every module. A dependency is a file, a folder for everything below it, or `dist` for the
 * built program.
 * Types are left out: they are gone at run time, and the compiler checks them.
 * @param {{ files: string[], read: (file: string) => string }} repository `files` are relative to its root, with slashes
 * @returns {Map<string, Set<string>>}
 */
export function importGraph({ files, read }) {
  const find = createLookup(files, read);
  const modules = new Map(
    files.filter((file) => SCRIPT.test(file) || PYTHON.test(file)).map((file) => [file, parse(file, read(file))]),
  );
  return new Map([...modules].map(([file, parsed]) => [file, dependenciesOf(file, parsed, { find, modules })]));
}

/** The repository on the disk. */
export function repositoryAt(root, files) {
  return { files, read: (file) => readFileSync(join(root, file), "utf8") };
}

/**
 * Returns the files that reach one of `changed`, `changed` included.
 * @param {Map<string, Set<string>>} graph
 * @param {Iterable<string>} changed
 */
export function dependentsOf(graph, changed) {
  const users = new Map();
  for (const [file, dependencies] of graph)
    for (const dependency of dependencies) users.set(dependency, [...(users.get(dependency) ?? []), file]);
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const path of [file, ...foldersOf(file)]) for (const user of users.get(path) ?? []) visit(user);
  };
  for (const file of changed) visit(file);
  return reached;
}

function parse(file, text) {
  // Specifiers are paths as well, and those of types must not count.
  const paths = [...text.replace(IMPORT, "").matchAll(PATH)].map(([, path]) => path);
  if (PYTHON.test(file)) {
    const imports = [...text.matchAll(PYTHON_IMPORT)].map(([, from, names, plain]) => ({
      specifier: from ?? plain,
      names: names?.split(",").map((name) => name.trim().split(" ")[0]),
    }));
    return { imports, paths, exports: new Map() };
  }
  const imports = [];
  /** Name → module, for re-exports; `*` for modules that are re-exported as a whole. */
  const exports = new Map();
  for (const [, keyword, type, clause, specifier] of text.matchAll(IMPORT)) {
    if (type !== undefined) continue;
    const names = namesIn(clause);
    if (names?.length === 0) continue;
    imports.push({ specifier, names });
    if (keyword === "export")
      for (const { name, as } of names ?? [{ name: "*", as: "*" }])
        exports.set(as, [...(exports.get(as) ?? []), { specifier, name }]);
  }
  for (const [, specifier] of text.matchAll(OTHER_IMPORT)) imports.push({ specifier });
  const withoutPassing = text.replace(IMPORT, "").replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  return { imports, paths, exports, isBarrel: exports.size > 0 && /^[\s;]*$/.test(withoutPassing) };
}

/** Returns the names of values in `{ a, type B, c as d }`, or undefined if it is everything. */
function namesIn(clause) {
  const braces = /^\{([^}]*)\}$/.exec(clause.trim());
  if (braces === null) return undefined;
  return braces[1]
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "" && !part.startsWith("type "))
    .map((part) => {
      const [name, as = name] = part.split(/\s+as\s+/);
      return { name, as };
    });
}

function dependenciesOf(file, { imports, paths }, { find, modules }) {
  const found = new Set();
  for (const { specifier, names } of imports) {
    if (PYTHON.test(file)) for (const path of find.python(file, specifier, names)) found.add(path);
    else for (const path of throughBarrels(find.module(file, specifier), names, { find, modules })) found.add(path);
  }
  for (const path of paths) {
    const target = find.path(file, path);
    if (target !== undefined) found.add(target);
  }
  found.delete(file);
  return found;
}

/** Users of a file that only re-exports depend on what they import from it, not on all of it. */
function throughBarrels(target, names, context) {
  if (target === undefined) return [];
  const barrel = context.modules.get(target);
  if (names === undefined || barrel?.isBarrel !== true) return [target];
  return names.flatMap(({ name }) => {
    const origins = barrel.exports.get(name) ?? barrel.exports.get("*") ?? [];
    if (origins.length === 0) return [target];
    return origins.flatMap((origin) =>
      throughBarrels(
        context.find.module(target, origin.specifier),
        [{ name: origin.name === "*" ? name : origin.name }],
        context,
      ),
    );
  });
}

function createLookup(files, read) {
  const known = new Set(files);
  const folders = new Set(files.flatMap(foldersOf));
  const packages = new Map(
    files
      .filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
      .map((file) => [JSON.parse(read(file)), dirname(file)])
      .map(([{ name, exports }, folder]) => [name, { exports, folder }]),
  );
  const beside = (file, path) => normalize(join(dirname(file), path));

  function exported(specifier) {
    const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier) ?? [];
    const own = packages.get(name);
    const entry = own?.exports?.[`.${rest ?? ""}`];
    if (typeof entry === "string") return normalize(join(own.folder, entry));
    // Build output: the sources are what changes.
    const source = rest === undefined ? "src" : `src${rest}`;
    return own && [`${own.folder}/${source}.ts`, `${own.folder}/${source}/index.ts`].find((path) => known.has(path));
  }

  return {
    module(file, specifier) {
      const path = specifier.startsWith(".") ? beside(file, specifier) : exported(specifier);
      if (!known.has(path)) return undefined;
      // Plain JavaScript imports the built packages.
      return file.endsWith(".mjs") && !specifier.startsWith(".") ? "dist" : path;
    },
    python(file, specifier, names = []) {
      const relative = specifier.startsWith(".");
      const bases = relative ? [dirname(file)] : ["python", dirname(file)];
      const path = specifier.replace(/^\.+/, "").replaceAll(".", "/");
      return bases
        .flatMap((base) => [path, ...names.map((name) => `${path}/${name}`)].map((one) => normalize(join(base, one))))
        .flatMap((one) => [`${one}.py`, `${one}/__init__.py`])
        .filter((one) => known.has(one));
    },
    path(file, path) {
      const candidates = path.startsWith(".") ? [beside(file, path)] : [path, beside(file, path)];
      if (candidates.some((one) => one === "dist" || one.startsWith("dist/"))) return "dist";
      const target = candidates.find((one) => known.has(one) || folders.has(one));
      // A script that names sources of a package builds or packs them.
      return file.startsWith("scripts/") && SOURCES.test(target) ? "dist" : target;
    },
  };
}

function foldersOf(file) {
  const parts = file.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
