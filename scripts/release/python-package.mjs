// Wheel and source archive of the client for Python, made by the backend that pip would call.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";
import { run } from "./run.mjs";

const PROJECT = join(root, "python");
/** Prints per archive its name and the paths in it. */
const BUILD = `
import json, sys, tarfile, zipfile
sys.path.insert(0, "build_backend")
import pintle_build
place = sys.argv[1]
wheel, sdist = pintle_build.build_wheel(place), pintle_build.build_sdist(place)
with zipfile.ZipFile(place + "/" + wheel) as archive:
    packed = [{"name": wheel, "paths": archive.namelist()}]
with tarfile.open(place + "/" + sdist) as archive:
    packed.append({"name": sdist, "paths": archive.getnames()})
print(json.dumps(packed))
`;

/** @returns {{ name: string, file: string, paths: string[] }[]} */
export function packPython(destination, python = "python3") {
  mkdirSync(destination, { recursive: true });
  const packed = JSON.parse(run(python, ["-B", "-c", BUILD, destination], { cwd: PROJECT }));
  return packed.map(({ name, paths }) => ({ name, file: join(destination, name), paths: paths.sort() }));
}

const MODULE = /^pintle\/([a-z_]+\.py|py\.typed)$/;
const RULES = {
  whl: {
    allowed: [MODULE, /^pintle-[\d.]+\.dist-info\/(LICENSE|METADATA|RECORD|WHEEL)$/],
    required: [/\/METADATA$/, /\/RECORD$/, /\/WHEEL$/],
  },
  gz: {
    allowed: [MODULE, /^(LICENSE|PKG-INFO|README\.md|pyproject\.toml|build_backend\/pintle_build\.py)$/],
    required: [/^PKG-INFO$/, /^pyproject\.toml$/, /^build_backend\/pintle_build\.py$/, /^README\.md$/],
  },
};
const EVERYWHERE = [/^pintle\/__init__\.py$/, /^pintle\/py\.typed$/, /^pintle\/protocol\.py$/, /(^|\/)LICENSE$/];

/** What is wrong, in words. */
export function checkPython({ name, paths }) {
  const { allowed, required } = RULES[name.split(".").at(-1)];
  const own = name.endsWith(".gz") ? paths.map((path) => path.replace(/^pintle-[\d.]+\//, "")) : paths;
  return [
    ...own
      .filter((path) => !allowed.some((rule) => rule.test(path)))
      .map((path) => `${name}: ${path} does not belong there`),
    ...[...required, ...EVERYWHERE]
      .filter((rule) => !own.some((path) => rule.test(path)))
      .map((rule) => `${name}: ${rule.source} is missing`),
  ];
}
