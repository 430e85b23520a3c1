// Projects and prefixes in which the packages are installed as npm would install published ones. Packed once per run.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../scripts/paths.mjs";
import { packForThisMachine } from "../../../scripts/release/pack-for-this-machine.mjs";
import { packPython } from "../../../scripts/release/python-package.mjs";
import { scratchPath } from "../../support/scratch-directory.mjs";

/** Time limit for packing and installing: seconds, but much longer on a busy machine. */
export const PATIENCE_MS = 280_000;

const scratch = scratchPath();

let packed;

/** The archives of this version for this machine. */
export function packages() {
  packed ??= packForThisMachine(join(scratch, "archives"));
  return packed;
}

let project;

/** An empty project after `npm install pintle @pintle/client`. */
export function installedProject() {
  project ??= install("project", []);
  return project;
}

/** A prefix after `npm install -g pintle`. */
export function installedPrefix() {
  const prefix = join(scratch, "prefix");
  return install("elsewhere", ["--global", "--prefix", prefix]).then(() => prefix);
}

async function install(name, options) {
  const directory = emptyDirectory(name);
  writeFileSync(join(directory, "package.json"), '{ "private": true }\n');
  // The packages need only typebox from the registry, which is already here.
  const typebox = await runIn(join(root, "node_modules/typebox"), [
    "npm",
    "pack",
    "--silent",
    "--pack-destination",
    scratch,
  ]);
  const files = [...packages().map(({ file }) => file), join(scratch, typebox.stdout.trim())];
  const quiet = ["--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, stderr } = await runIn(directory, ["npm", "install", ...quiet, ...options, ...files]);
  if (code !== 0) throw new Error(`npm install: ${stderr}`);
  return directory;
}

let python;

/** The Python client: its unpacked wheel, which is all that pip does for one without dependencies and scripts. */
export function installedPython() {
  python ??= unpackWheel();
  return python;
}

async function unpackWheel() {
  const directory = emptyDirectory("python");
  const wheel = packPython(emptyDirectory("wheels")).find(({ name }) => name.endsWith(".whl"));
  const { code, stderr } = await runIn(directory, ["python3", "-m", "zipfile", "-e", wheel.file, directory]);
  if (code !== 0) throw new Error(stderr);
  return directory;
}

export function emptyDirectory(name) {
  const directory = join(scratch, name);
  mkdirSync(directory, { recursive: true });
  return directory;
}

/** Starts a command with a separate environment, in which no other pintle of this machine is found. */
export function startIn(cwd, [command, ...args], { env = {} } = {}) {
  const home = emptyDirectory("home");
  const child = spawn(command, args, {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      PINTLE_HOME: join(home, "pintle"),
      npm_config_cache: join(scratch, "cache"),
      ...env,
    },
  });
  const output = { stdout: "", stderr: "" };
  for (const name of Object.keys(output)) child[name].on("data", (chunk) => (output[name] += chunk));
  const exited = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...output }));
  });
  return { child, exited };
}

export function runIn(cwd, command, { input = "", env } = {}) {
  const { child, exited } = startIn(cwd, command, { env });
  child.stdin.on("error", () => {}); // a program that does not read its input
  child.stdin.end(input);
  return exited;
}
