// One version for all packages. Its source is the package.json of the repository; the others repeat it, because npm
// requires that.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root as repository } from "../paths.mjs";

/** The Python package has no package.json. */
const PYTHON_VERSION = "python/pintle/_version.py";
const IN_PYTHON = /^VERSION = "(.*)"$/m;

const STEPS = ["major", "minor", "patch"];

export function readVersion(root = repository) {
  return readJson(join(root, "package.json")).version;
}

/** @param {string} wish `major`, `minor`, `patch`, or a version above the current one */
export function nextVersion(current, wish) {
  const numbers = parse(current);
  const step = STEPS.indexOf(wish);
  if (step >= 0)
    return numbers.map((number, index) => (index < step ? number : index === step ? number + 1 : 0)).join(".");
  const wanted = parse(wish);
  const isAbove = wanted.some(
    (number, index) => number > numbers[index] && wanted.slice(0, index).every((n, i) => n === numbers[i]),
  );
  if (!isAbove) throw new Error(`version ${wish} is not above ${current}`);
  return wish;
}

/** Writes it into every package.json, the lockfile and the Python package. */
export function setVersion(version, root = repository) {
  const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
  const names = new Set(packages.map((path) => readJson(join(root, path, "package.json")).name));
  for (const path of ["package.json", ...packages.map((folder) => `${folder}/package.json`)])
    rewrite(join(root, path), (manifest) => setIn(manifest, version, names));
  rewrite(join(root, "package-lock.json"), (lock) => {
    lock.version = version;
    for (const path of ["", ...packages]) if (lock.packages[path]) setIn(lock.packages[path], version, names);
  });
  const python = join(root, PYTHON_VERSION);
  writeFileSync(python, readFileSync(python, "utf8").replace(IN_PYTHON, `VERSION = "${version}"`));
}

function setIn(manifest, version, names) {
  manifest.version = version;
  for (const name of Object.keys(manifest.dependencies ?? {}))
    if (names.has(name)) manifest.dependencies[name] = version;
}

/** Returns places with a different version than the package.json of the repository. */
export function strayVersions(root = repository) {
  const version = readVersion(root);
  const inPython = IN_PYTHON.exec(readFileSync(join(root, PYTHON_VERSION), "utf8"))?.[1];
  const python = inPython === version ? [] : [`${PYTHON_VERSION} has version ${inPython}, not ${version}`];
  return [...python, ...strayPackages(root, version)];
}

function strayPackages(root, version) {
  return readdirSync(join(root, "packages")).flatMap((folder) => {
    const { name, version: own, dependencies = {} } = readJson(join(root, "packages", folder, "package.json"));
    const wrong = Object.entries(dependencies).filter(
      ([other, wanted]) => other.startsWith("@pintle/") && wanted !== version,
    );
    return [
      ...(own === version ? [] : [`${name} has version ${own}, not ${version}`]),
      ...wrong.map(([other, wanted]) => `${name} depends on ${other} ${wanted}, not ${version}`),
    ];
  });
}

function parse(version) {
  if (!/^\d+\.\d+\.\d+$/.test(version))
    throw new Error(`${version} is neither a version nor one of ${STEPS.join(", ")}`);
  return version.split(".").map(Number);
}

function rewrite(path, change) {
  const value = readJson(path);
  change(value);
  writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
