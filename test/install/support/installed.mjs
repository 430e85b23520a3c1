// Projects and prefixes in which the packages are installed as npm would install the published ones. Packed once per run.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../../scripts/paths.mjs";
import { packForThisMachine } from "../../../scripts/release/pack-for-this-machine.mjs";

/** For what packs and installs: seconds, but on a busy machine many of them. */
export const PATIENCE_MS = 280_000;

const scratch = mkdtempSync(join(tmpdir(), "pintle-install-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

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
  // The packages need nothing of the registry but typebox, and that one is here already.
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

export function emptyDirectory(name) {
  const directory = join(scratch, name);
  mkdirSync(directory, { recursive: true });
  return directory;
}

/** Starts a command with an environment of its own, in which nothing of this machine's pintle is found. */
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
  child.stdin.on("error", () => {}); // a program that reads nothing
  child.stdin.end(input);
  return exited;
}
