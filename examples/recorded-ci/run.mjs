// The host's test. `node run.mjs` answers from the recordings: this is what CI runs. `node run.mjs --record` asks a
// real model, with the key from the environment, and records its answers; further arguments, such as --model, go to
// pintle.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { HelpDesk } from "./host.mjs";

const program = process.env.PINTLE ?? fileURLToPath(new URL("../../dist/pintle", import.meta.url));
const recordings = fileURLToPath(new URL("recordings", import.meta.url));
const [mode = "--replay", ...more] = process.argv.slice(2);

const tickets = {
  17: { title: "Printer on floor 3 jams", state: "open", owner: "Ada" },
  18: { title: "VPN drops every hour", state: "solved", owner: "Grace" },
};

// CI has no configuration and no key; a replay must not depend on those of the person who runs it.
const cwd = mkdtempSync(`${tmpdir()}/recorded-ci-`);
const env = mode === "--replay" ? { PATH: process.env.PATH, PINTLE_HOME: cwd } : process.env;
const desk = new HelpDesk(program, tickets, { args: [mode, recordings, ...more], env, cwd });
try {
  await desk.open();
  const first = await desk.ask("Who takes care of ticket 17?");
  assert.match(first, /Ada/);
  assert.deepEqual(desk.lookedUp, [17]);
  const second = await desk.ask("Is it solved?");
  assert.match(second, /not|open/i);
  process.stdout.write(`> ${first}\n> ${second}\n`);
  process.stdout.write(`The host works: 2 answers, ${desk.lookedUp.length} tool call, no key, no network.\n`);
} finally {
  await desk.close();
  rmSync(cwd, { recursive: true, force: true });
}
