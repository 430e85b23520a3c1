// Pydantic 2 for the Python that runs the tests of python/: from the configured package index, or Debian's if it is new enough.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { runShown } from "../child.mjs";
import { isMain, root } from "../paths.mjs";

/** python-runner.py adds it to the module path. */
const TARGET = join(root, "node_modules/.cache/pintle-pydantic");
const PIP = ["-m", "pip", "install", "--quiet", "--retries=0", "--only-binary=:all:", "--target", TARGET];
const APT = ["install", "-y", "-qq", "--no-install-recommends", "python3-pydantic"];

/** Without it the tests that need it are skipped, and with CI=true they fail. */
export async function ensurePydantic({ run = runShown, log = console.log } = {}) {
  if (!succeeds("python3", "--version") || hasPydantic()) return;
  const ways = [["python3", [...PIP, "pydantic>=2,<3"]], ...(debianHasIt() ? [["apt-get", APT]] : [])];
  for (const [command, args] of ways) {
    try {
      await run(`Installing Pydantic (${command})`, command, args);
    } catch (error) {
      log(error.message);
    }
    if (hasPydantic()) return;
  }
  log("WARNING: Pydantic 2 is not installed; the tests that need it cannot run");
}

function hasPydantic() {
  const code = "import sys; sys.path.append(sys.argv[1]); import pydantic; pydantic.TypeAdapter";
  return succeeds("python3", "-c", code, TARGET);
}

function debianHasIt() {
  return process.getuid?.() === 0 && succeeds("sh", "-c", "apt-cache show python3-pydantic | grep -q '^Version: 2'");
}

function succeeds(command, ...args) {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

// To be run by hand before a single test file.
if (isMain(import.meta.url)) await ensurePydantic();
