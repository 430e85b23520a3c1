// Programs that tests need and npm does not provide. Installed where possible (root and apt); otherwise the tests that
// need one are skipped with a warning, and with CI=true they fail.
import { spawnSync } from "node:child_process";
import { runShown } from "./child.mjs";

/** command on PATH, or the folder of one that Debian keeps elsewhere → Debian package */
const TOOLS = {
  python3: "python3",
  mypy: "mypy",
  // Headless Chromium: a page takes a fifth of the processor time.
  "chromium-headless-shell": "chromium-headless-shell",
  go: "golang-go",
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

/** Alternatives for systems that lack the first. */
const SUBSTITUTES = { "chromium-headless-shell": "chromium" };

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
    // A stale package list is often good enough.
    await aptGet("Renewing the list of packages (apt-get)", ["update", "-qq"]);
    // A package that this system lacks must not block the others.
    if (!(await install(packages)))
      for (const name of packages)
        if (!(await install([name])) && name in SUBSTITUTES && !isInstalled(SUBSTITUTES[name]))
          await install([SUBSTITUTES[name]]);
  }
  const isUsable = (command) => isInstalled(command) || (command in SUBSTITUTES && isInstalled(SUBSTITUTES[command]));
  for (const command of missing.filter((name) => !isUsable(name))) {
    log(`WARNING: ${command} is not installed; the tests that need it cannot run`);
  }
}

export function isInstalled(command) {
  const look = command.startsWith("/") ? `ls -d ${command}` : `command -v ${command}`;
  return spawnSync("sh", ["-c", look], { stdio: "ignore" }).status === 0;
}
