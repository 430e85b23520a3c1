// An evaluation harness: every task in its own directory, several at a time, each with a limit, and one line of JSON
// per task.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@pintle/client";

const TASKS = [
  { name: "write", prompt: "write greeting.txt: hello", passes: ({ filesChanged }) => filesChanged.length === 1 },
  { name: "list", prompt: "list", passes: ({ text }) => text.includes("notes.txt") },
  { name: "slow", prompt: "run sleep 60", passes: ({ endedBy }) => endedBy === "timeout" },
];
const AT_A_TIME = 2;

async function evaluate({ name, prompt, passes }) {
  const cwd = await mkdtemp(join(tmpdir(), `evaluation-${name}-`));
  try {
    await writeFile(join(cwd, "notes.txt"), "remember the milk\n");
    const result = await run(prompt, {
      cwd,
      model: process.env.MODEL, // without it, the model of your settings
      permissions: "full",
      noSession: true,
      budget: { turns: 30, costUsd: 1 },
      timeoutMs: 3_000,
    });
    const { status, endedBy, turns, toolCalls, cost, durationMs } = result;
    return { name, passed: passes(result), status, endedBy, turns, toolCalls, cost, durationMs };
  } catch (error) {
    return { name, passed: false, status: "error", error: error.message }; // the program did not start, or was lost
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

const left = [...TASKS];
let failed = 0;
async function work() {
  for (let task = left.shift(); task; task = left.shift()) {
    const row = await evaluate(task);
    if (!row.passed) failed += 1;
    console.log(JSON.stringify(row));
  }
}
await Promise.all(Array.from({ length: AT_A_TIME }, work));
process.exitCode = failed === 0 ? 0 : 1;
