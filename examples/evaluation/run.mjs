// node run.mjs TASKS [--out DIR] [--jobs N] [--model provider/id] [--home DIR] [--atif] [--keep] [-- arguments for pintle]
// Runs every task, several at once, writes DIR/<task>.json each and DIR/summary.json, and exits with 1 if a check failed.
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toAtif } from "./atif.mjs";
import { runTask } from "./evaluate.mjs";
import { findTasks } from "./task.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "trajectories" },
    jobs: { type: "string", default: String(availableParallelism()) },
    model: { type: "string" },
    home: { type: "string" },
    atif: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
const [directory, ...args] = positionals;
const jobs = Number(values.jobs);
if (directory === undefined || !(jobs >= 1)) {
  console.error(
    "usage: node run.mjs TASKS [--out DIR] [--jobs N] [--model provider/id] [--atif] [-- arguments for pintle]",
  );
  process.exit(2);
}

const waiting = tasksOf(directory);
mkdirSync(values.out, { recursive: true });
const rows = [];
const { model, home, keep } = values;
const command = process.env.PINTLE === undefined ? undefined : [process.env.PINTLE];

async function work() {
  for (let task = waiting.shift(); task; task = waiting.shift()) {
    const trajectory = await runTask(task, { model, home, keep, args, command });
    write(`${task.id}.json`, trajectory);
    if (values.atif) writeAtif(task.id, trajectory);
    const { outcome, durationMs, usage, check, error } = trajectory;
    rows.push({ task: task.id, outcome, passed: check?.passed ?? null, durationMs, costUsd: usage.costUsd, error });
    const verdict = check === undefined ? "not checked" : check.passed ? "passed" : "FAILED";
    console.log(`${task.id}: ${outcome}, ${verdict}, ${usage.modelCalls} model calls${error ? `: ${error}` : ""}`);
  }
}

await Promise.all(Array.from({ length: jobs }, work));
rows.sort((a, b) => (a.task < b.task ? -1 : 1));
write("summary.json", rows);
const failed = rows.filter(({ passed, outcome }) => passed === false || (passed === null && outcome !== "completed"));
console.log(`${rows.length - failed.length} of ${rows.length} tasks solved`);
process.exitCode = failed.length > 0 ? 1 : 0;

function tasksOf(path) {
  try {
    return findTasks(path);
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

function writeAtif(id, trajectory) {
  const { trajectory: atif, images } = toAtif(trajectory, { imageDirectory: `${id}.images` });
  if (images.length > 0) mkdirSync(join(values.out, `${id}.images`), { recursive: true });
  for (const { path, data } of images) writeFileSync(join(values.out, path), data, "base64");
  write(`${id}.atif.json`, atif);
}

function write(name, value) {
  writeFileSync(join(values.out, name), `${JSON.stringify(value, null, 2)}\n`);
}
