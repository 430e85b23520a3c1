// Sends a flood of fuzzed lines, as fast as the program reads them, in every dialect: each line that is not blank must
// get exactly one response, and the program must survive and exit normally. `bun bench/soak/frames.ts [lines]` from the
// repository's root, after a build. Commands that start a run are not included: bench/soak/fuzz.ts sends those, at the
// pace of a host.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figuresOf } from "./process-figures.ts";

const [lines = 400_000] = process.argv.slice(2).map(Number);
const BATCH = 500;
const PROCESSES_PER_DIALECT = 3;
const program = join(import.meta.dir, "../../dist/pintle");

const pick = <T>(choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)] as T;
const number = (below: number) => Math.floor(Math.random() * below);

const COMMANDS = [
  "get_state",
  "get_messages",
  "get_session_stats",
  "get_entries",
  "get_tree",
  "get_messages_page",
  "get_pending",
  "get_branch_messages",
  "get_last_assistant_text",
  "get_available_commands",
  "get_available_thinking_levels",
  "get_pending_actions",
  "get_commands",
  "abort",
  "abort_bash",
  "abort_retry",
  "clear_queue",
  "set_steering_mode",
  "set_follow_up_mode",
  "set_interrupt_mode",
  "set_thinking_level",
  "cycle_thinking_level",
  "cycle_model",
  "set_model",
  "set_auto_retry",
  "set_auto_compaction",
  "set_todos",
  "set_host_tools",
  "set_session_name",
  "set_update_mode",
  "steer",
  "follow_up",
  "branch",
  "resolve_pending_action",
  "new_session",
  "compact",
  "switch_session",
  "clone",
];
const VALUES: readonly (() => unknown)[] = [
  () => null,
  () => number(2) === 0,
  () => number(1e9) - 5e8,
  () => Number.MAX_VALUE,
  () => "",
  () =>
    pick([
      "all",
      "one-at-a-time",
      "wait",
      "immediate",
      "high",
      "off",
      "full",
      "delta",
      "apply",
      "../..",
      "/proc/self/mem",
    ]),
  () => "x".repeat(number(5_000)),
  () => "\u0000\u2028\ud800 ✓",
  () => [],
  () => Array.from({ length: number(20) }, value),
  () => ({ [pick(FIELDS)]: value() }),
  () => JSON.parse(`${"[".repeat(150)}${"]".repeat(150)}`),
];
const FIELDS = [
  "mode",
  "level",
  "message",
  "images",
  "enabled",
  "phases",
  "tools",
  "name",
  "provider",
  "modelId",
  "entryId",
  "cursor",
  "limit",
  "since",
  "sessionPath",
  "action",
  "actionId",
  "customInstructions",
  "__proto__",
  "toString",
];

function value(): unknown {
  return pick(VALUES)();
}

function command(): string {
  const fields = Array.from({ length: number(4) }, () => [pick(FIELDS), value()]);
  const id = pick([{}, { id: `i${number(1e6)}` }, { id: number(1e6) }, { id: value() }]);
  return JSON.stringify({ ...id, type: pick([...COMMANDS, "no_such_command", ""]), ...Object.fromEntries(fields) });
}

const GARBAGE: readonly (() => string)[] = [
  () => "{",
  () => `${"[".repeat(50_000)}`,
  () => `{"type":"get_state","a":${"{".repeat(3_000)}`,
  () => pick(["3", "null", "[]", '"text"', "true", "{}", '{"type":3}', '{"type":null}']),
  () => command().slice(0, -1 - number(10)),
  () => `${command()}x`,
  () => String.fromCharCode(...Array.from({ length: 1 + number(50) }, () => 33 + number(94))),
];

function line(): string {
  return number(5) === 0 ? pick(GARBAGE)() : command();
}

interface Report {
  sent: number;
  answered: number;
  code: number;
  rssMb: number;
}

async function flood(dialect: string, count: number): Promise<Report> {
  const home = mkdtempSync(join(tmpdir(), "pintle-frames-"));
  const env = { PATH: process.env.PATH, HOME: home, PINTLE_HOME: home };
  const args = ["--mode", "rpc", "--dialect", dialect, "--model", "pintle/offline", "--no-session"];
  const child = Bun.spawn([program, ...args], { cwd: home, env, stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  let answered = 0;
  const reading = (async () => {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of child.stdout) {
      const all = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = all.pop() ?? "";
      for (const one of all) if (JSON.parse(one).type === "response") answered += 1;
    }
  })();
  let sent = 0;
  let rssMb = 0;
  while (sent < count && child.exitCode === null) {
    const batch = Array.from({ length: BATCH }, line);
    sent += batch.length;
    child.stdin.write(`${batch.join("\n")}\n`);
    await child.stdin.flush();
    while (answered < sent - 4 * BATCH && child.exitCode === null) await Bun.sleep(1);
    rssMb = Math.max(rssMb, figuresOf(child.pid).rssMb);
  }
  await child.stdin.end();
  await reading;
  const code = await child.exited;
  rmSync(home, { recursive: true, force: true });
  return { sent, answered, code, rssMb };
}

const began = performance.now();
let wrong = 0;
for (let n = 0; n < PROCESSES_PER_DIALECT; n += 1) {
  for (const dialect of ["seed", "pi", "omp"]) {
    const { sent, answered, code, rssMb } = await flood(dialect, lines / PROCESSES_PER_DIALECT / 3);
    if (sent !== answered || code !== 0) wrong += 1;
    console.log(`${dialect}: ${sent} lines, ${answered} responses, exit ${code}, RSS up to ${rssMb.toFixed(0)} MB`);
  }
}
console.log(`${wrong} processes with a fault, ${((performance.now() - began) / 1000).toFixed(0)} s`);
process.exitCode = wrong === 0 ? 0 : 1;
