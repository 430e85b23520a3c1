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
  fish: "fish",
  zsh: "zsh",
  tree: "tree",
  file: "file",
  ...(process.platform === "linux" && {
    bwrap: "bubblewrap",
    dash: "dash",
    // The sandbox's machine code is assembled and run for both architectures.
    "aarch64-linux-gnu-as": "binutils-aarch64-linux-gnu",
    "x86_64-linux-gnu-as": "binutils-x86-64-linux-gnu",
    ...(process.arch !== "arm64" && { "qemu-aarch64": "qemu-user" }),
    ...(process.arch !== "x64" && { "qemu-x86_64": "qemu-user" }),
    "/usr/lib/python3.*/ensurepip": "python3-venv",
    "/usr/lib/postgresql/*/bin": "postgresql",
    "/usr/sbin/pgbouncer": "pgbouncer",
  }),
};

export async function ensureSystemTools({ run = runShown, log = console.log } = {}) {
  const aptGet = async (what, args) => {
    try {
      await run(what, "apt-get", args, { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
      return true;
    } catch (error) {
      log(error.message);
      return false;
    }
  };
  const missing = Object.keys(TOOLS).filter((command) => !isInstalled(command));
  if (missing.length === 0) return;
  if (process.getuid?.() === 0 && isInstalled("apt-get")) {
    const packages = missing.map((command) => TOOLS[command]);
    const install = (names) =>
      aptGet(`Installing ${names.join(", ")} (apt-get)`, ["install", "-y", "-qq", "--no-install-recommends", ...names]);
    // A list that could not be renewed is often good enough.
    await aptGet("Renewing the list of packages (apt-get)", ["update", "-qq"]);
    // A package that this system does not have must not cost the others.
    if (!(await install(packages)) && packages.length > 1) for (const name of packages) await install([name]);
  }
  for (const command of missing.filter((name) => !isInstalled(name))) {
    log(`WARNING: ${command} is not installed; the tests that need it cannot run`);
  }
}

export function isInstalled(command) {
  const look = command.startsWith("/") ? `ls -d ${command}` : `command -v ${command}`;
  return spawnSync("sh", ["-c", look], { stdio: "ignore" }).status === 0;
}
