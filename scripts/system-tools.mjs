// Programs that tests need and npm does not have. Installed where that is allowed (root and apt), otherwise the tests that
// need one are skipped loudly, and with CI=true they fail.
import { spawnSync } from "node:child_process";
import { runShown } from "./child.mjs";

/** command on PATH, or the folder of one that Debian keeps elsewhere → Debian package */
const TOOLS = {
  python3: "python3",
  mypy: "mypy",
  chromium: "chromium",
  tmux: "tmux",
  ...(process.platform === "linux" && {
    bwrap: "bubblewrap",
    "/usr/lib/python3.*/ensurepip": "python3-venv",
    "/usr/lib/postgresql/*/bin": "postgresql",
  }),
};

export async function ensureSystemTools() {
  const missing = Object.keys(TOOLS).filter((command) => !isInstalled(command));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && isInstalled("apt-get")) {
    const packages = missing.map((command) => TOOLS[command]);
    // A list that could not be renewed is often good enough.
    await aptGet("Renewing the list of packages (apt-get)", ["update", "-qq"]);
    const install = ["install", "-y", "-qq", "--no-install-recommends", ...packages];
    await aptGet(`Installing ${packages.join(", ")} (apt-get)`, install);
  }
  for (const command of missing.filter((name) => !isInstalled(name))) {
    console.log(`WARNING: ${command} is not installed; the tests that need it cannot run`);
  }
}

export function isInstalled(command) {
  const look = command.startsWith("/") ? `ls -d ${command}` : `command -v ${command}`;
  return spawnSync("sh", ["-c", look], { stdio: "ignore" }).status === 0;
}

async function aptGet(what, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  await runShown(what, "apt-get", args, { env }).catch((error) => console.log(error.message));
}
