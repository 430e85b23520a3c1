// A task is a directory: prompt.md, task.json (optional), workspace/ (copied, never changed) and check.sh (optional).
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";

/** The keys of task.json, with their defaults. */
const DEFAULTS = {
  /** The run is aborted after this time. */
  deadlineMs: 10 * 60_000,
  /** In the format of `--budget`. */
  budget: "turns=100,reached=stop",
  permissions: "workspace",
  sandbox: "workspace-write",
};

/** The directory itself, or every task below it. */
export function findTasks(directory) {
  const path = resolve(directory);
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  const places = isTask(path) ? [path] : readdirSync(path).map((name) => join(path, name));
  const tasks = places
    .filter(isTask)
    .sort()
    .map((place) => readTask(place));
  if (tasks.length === 0) throw new Error(`No task in ${path}: a task is a directory with a prompt.md`);
  return tasks;
}

const isTask = (path) => statSync(path).isDirectory() && existsSync(join(path, "prompt.md"));

function readTask(directory) {
  const file = join(directory, "task.json");
  const given = existsSync(file) ? parse(file) : {};
  const unknown = Object.keys(given).filter((key) => !(key in DEFAULTS) && key !== "model");
  if (unknown.length > 0) throw new Error(`${file}: unknown ${unknown.join(", ")}`);
  const { deadlineMs = DEFAULTS.deadlineMs } = given;
  if (!Number.isFinite(deadlineMs) || deadlineMs <= 0) throw new Error(`${file}: deadlineMs must be a positive number`);
  return {
    id: basename(directory),
    directory,
    prompt: readFileSync(join(directory, "prompt.md"), "utf8").trim(),
    ...DEFAULTS,
    ...given,
  };
}

function parse(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file}: ${error.message}`);
  }
}
