// Third-party components of the program: the packages that Bun bundled, the native parts, and Bun.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundlePages, bundleProgram } from "../compile.mjs";
import { parserPackages } from "../native/ast-grep.mjs";
import { dist, root } from "../paths.mjs";
import { astEnginePackage, bunPackage, ripgrepPackage } from "../targets.mjs";

/** @typedef {{ name: string, version: string, license: string, integrity?: string, text?: string }} Component */

const NATIVE_TEXTS = {
  ripgrep: "node_modules/@vscode/ripgrep/LICENSE",
  astGrep: "node_modules/@ast-grep/napi/LICENSE",
  bun: "scripts/release/bun-notice.txt",
};

/** @returns {Component[]} the same for every target */
export function bundledComponents() {
  const scratch = join(dist, "components.tmp");
  const metafile = join(dist, "components.json.tmp");
  const inputs = [];
  const take = () => inputs.push(...Object.keys(JSON.parse(readFileSync(metafile, "utf8")).inputs));
  bundleProgram(scratch, { metafile });
  take();
  bundlePages(scratch, metafile, take);
  for (const path of [scratch, metafile]) rmSync(path);
  const places = inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  const components = [...places, ...parserPackages().map((name) => `node_modules/${name}`)].map(locked);
  // One version may be installed in several places.
  const byName = new Map(components.map((component) => [`${component.name}@${component.version}`, component]));
  return [...byName.keys()].sort().map((key) => byName.get(key));
}

/** @returns {Component[]} */
export function nativeComponents(target) {
  return [
    { ...locked(`node_modules/${bunPackage(target)}`), text: read(NATIVE_TEXTS.bun) },
    { ...locked(`node_modules/${ripgrepPackage(target)}`), text: read(NATIVE_TEXTS.ripgrep) },
    { ...locked(`node_modules/${astEnginePackage(target)}`), text: read(NATIVE_TEXTS.astGrep) },
  ];
}

let lockfile;

function locked(place) {
  lockfile ??= JSON.parse(read("package-lock.json")).packages;
  const entry = lockfile[place];
  if (!entry) throw new Error(`${place} is not in package-lock.json`);
  const { version, license, integrity } = entry;
  return { name: place.replace(/^.*node_modules\//, ""), version, license, integrity, text: licenceText(place) };
}

function licenceText(place) {
  const directory = join(root, place);
  if (!existsSync(directory)) return undefined; // for another system
  const names = readdirSync(directory).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name));
  return names.length === 0 ? undefined : names.map((name) => read(join(place, name)).trim()).join("\n\n");
}

function read(path) {
  return readFileSync(join(root, path), "utf8");
}
