// For hosts that start a script (`node cli.js`, `bun cli.js`): starts the compiled program beside it with the same stdio.
// Hosts that can should start `dist/pintle` itself: under `bun cli.js` a project's bunfig.toml and .env act before this line.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const program = join(here, process.platform === "win32" ? "pintle.exe" : "pintle");

const args = process.argv.slice(2);
if (existsSync(program)) start(program, args);
// Bun would fetch what a user's module imports and nobody has installed.
else if (process.versions.bun) start(process.execPath, ["--no-install", join(here, "pintle.bundle.js"), ...args]);
else fail("there is no compiled program beside this script; build it, or run the script with Bun");

function start(command, words) {
  const child = spawn(command, words, { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`cannot start ${command}: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(message) {
  console.error(`pintle: ${message}`);
  process.exit(1);
}
