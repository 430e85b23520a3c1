// Packages for the Python that runs the tests of python/: from the configured package index, or Debian's if they are new
// enough.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { runShown } from "../child.mjs";
import { isMain, root } from "../paths.mjs";

/**
 * Each has a folder of its own, so that a test has only what it asks for: python-runner.py adds Pydantic to the module
 * path, test_sockets.py adds websockets.
 */
const PACKAGES = [
  {
    name: "Pydantic 2",
    folder: "pintle-pydantic",
    requirement: "pydantic>=2,<3",
    probe: "import pydantic; pydantic.TypeAdapter",
    debian: { name: "python3-pydantic", version: "2" },
  },
  {
    name: "websockets 15",
    folder: "pintle-websockets",
    requirement: "websockets>=15,<16",
    probe: "import websockets.version as v; assert int(v.version.partition('.')[0]) >= 15",
    debian: undefined, // Debian 12 has version 10
  },
];

/** A test whose package is missing is skipped, and fails with CI=true if any machine can be expected to have it. */
export async function ensurePythonPackages({ run = runShown, log = console.log } = {}) {
  if (!succeeds("python3", "--version")) return;
  for (const wanted of PACKAGES) await ensure(wanted, run, log);
}

async function ensure(wanted, run, log) {
  if (isInstalled(wanted)) return;
  for (const [command, args] of waysTo(wanted)) {
    try {
      await run(`Installing ${wanted.name} (${command})`, command, args);
    } catch (error) {
      log(error.message);
    }
    if (isInstalled(wanted)) return;
  }
  log(`WARNING: ${wanted.name} is not installed; the tests that need it cannot run`);
}

function waysTo({ folder, requirement, debian }) {
  const pip = ["-m", "pip", "install", "--quiet", "--retries=0", "--only-binary=:all:", "--target", target(folder)];
  const apt = ["install", "-y", "-qq", "--no-install-recommends"];
  return [["python3", [...pip, requirement]], ...(debianHas(debian) ? [["apt-get", [...apt, debian.name]]] : [])];
}

function isInstalled({ folder, probe }) {
  return succeeds("python3", "-c", `import sys; sys.path.append(sys.argv[1]); ${probe}`, target(folder));
}

function debianHas(debian) {
  if (debian === undefined || process.getuid?.() !== 0) return false;
  return succeeds("sh", "-c", `apt-cache show ${debian.name} | grep -q '^Version: ${debian.version}'`);
}

function target(folder) {
  return join(root, "node_modules/.cache", folder);
}

function succeeds(command, ...args) {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

// To be run by hand before a single test file.
if (isMain(import.meta.url)) await ensurePythonPackages();
