import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  eventually,
  hasProc,
  processesWith,
  uniqueSleep,
} from "../../../exec/test/support/processes/living-processes.ts";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import { type ExtensionRun, withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import { sessionFiles } from "../support/scenarios/stored-sessions.ts";
import { where } from "../support/where.ts";

// An endless loop blocks the main thread, and with it everything that could react to an abort, a signal or the end of stdin.

const LIMIT = ["--set", "extensions.unresponsiveMs=1000"];
/** It announces its start, then sends nothing more. */
const SPIN = `note("spins", true); for (;;);`;
const IN_HOOK = `pi.on("tool_call", () => { ${SPIN} });`;
const IN_CONTINUATION = `pi.on("tool_call", async () => { await 1; await new Promise((r) => setTimeout(r, 1)); ${SPIN} });`;
const IN_TIMER = `pi.on("tool_call", () => new Promise(() => setTimeout(() => { ${SPIN} }, 1)));`;
const IN_TOOL = `pi.registerTool({ name: "spin", label: "s", description: "d", parameters: { type: "object" }, execute() { ${SPIN} } });`;

async function spinningSoon(code: string, tool = "ls"): Promise<ExtensionRun> {
  const answers = [callsTools({ name: tool }), says("never said")];
  const run = await withExtensions({ "loop.ts": code }, { args: LIMIT, answers });
  run.rpc.send({ id: "p", type: "prompt", message: "go" });
  await run.rpc.until(({ type }) => type === "tool_execution_start");
  return run;
}

async function spinning(code: string, tool: string): Promise<ExtensionRun> {
  const run = await spinningSoon(code, tool);
  expect(await eventually(() => run.notes().length > 0)).toBe(true);
  return run;
}

/** Every emitted message is in the file, and the file can be opened. */
function expectStored(run: ExtensionRun): void {
  const file = sessionFiles(run.place.sessionDir).at(-1) as string;
  const lines = readFileSync(file, "utf8").split("\n");
  expect(lines.pop()).toBe("");
  const roles = lines.map((line) => JSON.parse(line).message?.role).filter(Boolean);
  expect(roles).toEqual(["user", "assistant"]);
}

const PLACES: readonly [where: string, code: string, tool: string, words: RegExp][] = [
  ["a hook", IN_HOOK, "ls", /while running tool_call of \S*loop\.ts/],
  ["a hook that has waited", IN_CONTINUATION, "ls", /last user code to start was tool_call of \S*loop\.ts/],
  ["a timer", IN_TIMER, "ls", /last user code to start was tool_call of \S*loop\.ts/],
  ["a tool", IN_TOOL, "spin", /while running the tool spin/],
];

async function expectEnded(run: ExtensionRun, words: RegExp): Promise<void> {
  expect(await run.rpc.exited).toBe(70);
  const stderr = await run.rpc.stderr();
  expect(stderr).toStartWith("pintle: stopped, because it did not respond for 1 s");
  expect(stderr).toMatch(words);
  expectStored(run);
}

test.each(PLACES)("an endless loop in %s ends the program with 70 and a reason", async (_where, code, tool, words) => {
  await using run = await spinning(code, tool);
  await expectEnded(run, words);
});

const ASKED: readonly [what: string, ask: (run: ExtensionRun) => void, place: string][] = [
  ["abort is sent", ({ rpc }) => rpc.send({ type: "abort" }), "a hook"],
  ["stdin is closed", ({ rpc }) => void rpc.end(), "a timer"],
  ["SIGTERM is sent", ({ rpc }) => void process.kill(rpc.pid, "SIGTERM"), "a tool"],
];

test.each(ASKED)("an endless loop ends the program with 70 and a reason when %s", async (_asked, ask, place) => {
  const [, code, tool, words] = PLACES.find(([name]) => name === place)!;
  await using run = await spinning(code, tool);
  ask(run);
  await expectEnded(run, words);
});

where(hasProc, "needs /proc").test("ends the child processes as well", async () => {
  const sleep = uniqueSleep();
  const code = `pi.on("tool_call", async () => {
    void pi.exec("sh", ["-c", "${sleep}"]);
    while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 10));
    ${SPIN}
  });`;
  await using run = await spinningSoon(code);
  expect(await eventually(() => processesWith(sleep).length > 0)).toBe(true);
  writeFileSync(join(run.place.cwd, "go"), "");
  expect(await run.rpc.exited).toBe(70);
  expect(await eventually(() => processesWith(sleep).length === 0)).toBe(true);
});

test("the message also names a command", async () => {
  const code = `pi.registerCommand("spin", { handler: () => { ${SPIN} } });`;
  await using run = await withExtensions({ "loop.ts": code }, { args: LIMIT });
  run.rpc.send({ type: "prompt", message: "/spin" });
  expect(await run.rpc.exited).toBe(70);
  expect(await run.rpc.stderr()).toMatch(/while running the command \/spin of \S*loop\.ts/);
});

test("a module that never finishes loading ends the start", async () => {
  const started = withExtensions({}, { files: { "extensions/stuck.ts": "for (;;);" }, args: LIMIT });
  expect(await started.then(() => "ready", String)).toMatch(/did not respond for 1 s.*stuck\.ts/);
});

test("a tool that waits for a program is not treated as an endless loop", async () => {
  const wait = `pi.registerTool({ name: "wait", label: "w", description: "d", parameters: { type: "object" },
    async execute() { require("node:child_process").execSync("sleep 4"); return "slept"; } });`;
  await using run = await withExtensions(
    { "wait.ts": wait },
    { args: LIMIT, answers: [callsTools({ name: "wait" }), says("good")] },
  );
  await run.rpc.prompt("go");
  expect(run.rpc.frames.findLast(({ type }) => type === "tool_execution_end")?.result.content[0].text).toBe("slept");
  expect(await run.rpc.end()).toBe(0);
});

test("unless the host has disconnected", async () => {
  const wait = `pi.registerTool({ name: "wait", label: "w", description: "d", parameters: { type: "object" },
    async execute() { require("node:child_process").execSync("sleep 600"); return "slept"; } });`;
  await using run = await withExtensions({ "wait.ts": wait }, { args: LIMIT, answers: [callsTools({ name: "wait" })] });
  run.rpc.send({ type: "prompt", message: "go" });
  await run.rpc.until(({ type }) => type === "tool_execution_start");
  void run.rpc.end();
  expect(await run.rpc.exited).toBe(70);
});
