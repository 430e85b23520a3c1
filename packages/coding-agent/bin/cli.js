// For hosts that start a script (`node cli.js`, `bun cli.js`): starts the compiled program next to it. Hosts should
// start `dist/pintle` itself if they can: with `bun cli.js` a project's bunfig.toml and .env take effect before this
// line.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fail, startProgram } from "./start-program.cjs";

const here = dirname(fileURLToPath(import.meta.url));
const program = join(here, process.platform === "win32" ? "pintle.exe" : "pintle");

const args = process.argv.slice(2);
if (existsSync(program)) startProgram(program, args);
// Bun would otherwise download imports of a user's module that are not installed.
else if (process.versions.bun)
  startProgram(process.execPath, ["--no-install", join(here, "pintle.bundle.js"), ...args]);
else fail("no compiled program next to this script; build it, or run the script with Bun");
