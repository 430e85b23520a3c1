// Builds the wheels and source archive of the Python client with the backend that pip would call.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../paths.mjs";
import { run } from "./run.mjs";

const PROJECT = join(root, "python");
/** Prints the name and the paths of each archive. */
const BUILD = `
import json, sys, tarfile, zipfile
sys.path.insert(0, "build_backend")
import pintle_build
place, programs = sys.argv[1], json.loads(sys.argv[2])
packed = []
for wheel in [pintle_build.build_wheel(place), *(pintle_build.build_wheel(place, program) for program in programs)]:
    with zipfile.ZipFile(place + "/" + wheel) as archive:
        packed.append({"name": wheel, "paths": archive.namelist()})
sdist = pintle_build.build_sdist(place)
with tarfile.open(place + "/" + sdist) as archive:
    packed.append({"name": sdist, "paths": archive.getnames()})
print(json.dumps(packed))
`;

const TAGS = {
  "linux-x64": "manylinux_2_17_x86_64",
  "linux-arm64": "manylinux_2_17_aarch64",
  "linux-x64-musl": "musllinux_1_2_x86_64",
  "linux-arm64-musl": "musllinux_1_2_aarch64",
  "darwin-x64": "macosx_13_0_x86_64",
  "darwin-arm64": "macosx_13_0_arm64",
  "win32-x64": "win_amd64",
};

/**
 * What the backend needs for a wheel that contains the program.
 *
 * @param {string} target a key of TARGETS
 * @param {string} directory of the staged platform package
 */
export function programOf(target, directory) {
  return {
    program: join(directory, "bin"),
    platform: TAGS[target],
    notices: join(directory, "THIRD-PARTY-NOTICES.txt"),
  };
}

/**
 * Makes the pure wheel, a wheel per program and the source archive.
 *
 * @param {ReturnType<typeof programOf>[]} programs
 * @returns {{ name: string, file: string, paths: string[] }[]}
 */
export function packPython(destination, { programs = [], python = "python3" } = {}) {
  mkdirSync(destination, { recursive: true });
  const packed = JSON.parse(run(python, ["-B", "-c", BUILD, destination, JSON.stringify(programs)], { cwd: PROJECT }));
  return packed.map(({ name, paths }) => ({ name, file: join(destination, name), paths: paths.sort() }));
}

const MODULE = /^pintle\/([a-z_]+\.py|py\.typed)$/;
const RULES = {
  whl: {
    allowed: [MODULE, /^pintle-[\d.]+\.dist-info\/(licenses\/LICENSE|METADATA|RECORD|WHEEL)$/],
    required: [/\/METADATA$/, /\/RECORD$/, /\/WHEEL$/],
  },
  gz: {
    allowed: [MODULE, /^(LICENSE|PKG-INFO|README\.md|pyproject\.toml|build_backend\/pintle_build\.py)$/],
    required: [/^PKG-INFO$/, /^pyproject\.toml$/, /^build_backend\/pintle_build\.py$/, /^README\.md$/],
  },
};
const PROGRAM = [/^pintle\/program\/pintle(\.exe)?$/, /\.dist-info\/licenses\/THIRD-PARTY-NOTICES\.txt$/];
const NATIVE = /^pintle\/program\/native\/(rg(\.exe)?|ast-grep\/[\w.-]+)$/;
const EVERYWHERE = [/^pintle\/__init__\.py$/, /^pintle\/py\.typed$/, /^pintle\/protocol\.py$/, /(^|\/)LICENSE$/];

/** Returns problems. */
export function checkPython({ name, paths }) {
  const rules = RULES[name.split(".").at(-1)];
  const hasProgram = name.endsWith(".whl") && !name.endsWith("-any.whl");
  const allowed = [...rules.allowed, ...(hasProgram ? [...PROGRAM, NATIVE] : [])];
  const required = [...rules.required, ...(hasProgram ? [...PROGRAM, NATIVE] : [])];
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
