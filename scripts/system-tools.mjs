// Programs that tests need and npm does not have. Installed where that is allowed (root and apt), otherwise the tests that
// need one are skipped loudly, and with CI=true they fail.
import { spawnSync } from "node:child_process";

/** command on PATH → Debian package */
const TOOLS = { python3: "python3", chromium: "chromium" };

export function ensureSystemTools() {
  const missing = Object.keys(TOOLS).filter((command) => !isInstalled(command));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && isInstalled("apt-get")) {
    const packages = missing.map((command) => TOOLS[command]);
    console.log(`Installing ${packages.join(", ")} (apt-get) …`);
    run("apt-get", ["update", "-qq"]);
    run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages]);
  }
  for (const command of missing.filter((name) => !isInstalled(name))) {
    console.log(`WARNING: ${command} is not installed; the tests that need it cannot run`);
  }
}

function isInstalled(command) {
  return spawnSync("sh", ["-c", `command -v ${command}`], { stdio: "ignore" }).status === 0;
}

function run(command, args) {
  spawnSync(command, args, {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
