// Runs jobs in parallel: the longest first, one per processor, and more while a processor is idle.
import { readFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";

/** Tests wait for timers and other processes; meanwhile another job can use the processor. */
const MOST_PER_PROCESSOR = 4;
/** A job that has just started looks idle. */
const SETTLE_MS = 1_000;
/** How much of a processor must be idle before another job starts. */
const IDLE_PROCESSORS = 0.25;

/**
 * @typedef {{
 *   name: string,
 *   seconds: number,
 *   needs?: string[],
 *   isUrgent?: boolean,
 *   isQuiet?: boolean,
 *   run: () => Promise<void>,
 * }} Job `seconds` is what it is expected to take. `needs` names jobs that must have ended before. `isUrgent` jobs start before
 *   longer ones. `isQuiet` jobs have the machine to themselves, after all others.
 */

/**
 * Returns when all jobs have ended. A job reports its own failure; one that throws ends the whole run.
 * @param {Job[]} jobs
 * @param {{ slots?: number, most?: number, idleProcessors?: () => number, settleMs?: number }} options
 */
export async function runPool(
  jobs,
  {
    slots = availableParallelism(),
    most = slots * MOST_PER_PROCESSOR,
    idleProcessors = measureIdle(),
    settleMs = SETTLE_MS,
  } = {},
) {
  const waiting = startOrder(jobs);
  const names = new Set(jobs.map(({ name }) => name));
  const unknown = jobs.flatMap(({ needs = [] }) => needs).find((name) => !names.has(name));
  if (unknown !== undefined) throw new Error(`Unknown job ${unknown}.`);
  const ended = new Set();
  const running = new Set();
  let startedAt = Number.NEGATIVE_INFINITY;

  const isReady = (job) =>
    (job.needs ?? []).every((name) => ended.has(name)) &&
    (!job.isQuiet || (running.size === 0 && waiting.every((other) => other.isQuiet)));

  function hasRoom() {
    if (running.size < slots) return true;
    if (running.size >= most || performance.now() - startedAt < settleMs) return false;
    return idleProcessors() >= IDLE_PROCESSORS;
  }

  function start(job) {
    waiting.splice(waiting.indexOf(job), 1);
    startedAt = performance.now();
    idleProcessors(); // measure from here on
    const run = job.run().then(() => {
      ended.add(job.name);
      running.delete(run);
    });
    running.add(run);
  }

  while (waiting.length > 0 || running.size > 0) {
    const next = waiting.find(isReady);
    if (next !== undefined && hasRoom()) {
      start(next);
      continue;
    }
    if (running.size === 0) throw new Error(`Jobs wait for each other: ${waiting.map(({ name }) => name).join(", ")}`);
    let timer;
    const look = new Promise((resolve) => (timer = setTimeout(resolve, settleMs)));
    await Promise.race(next === undefined ? running : [...running, look]);
    clearTimeout(timer);
  }
}

/** Urgent jobs first, then the longest; quiet ones last. */
export function startOrder(jobs) {
  const rank = ({ isUrgent, isQuiet }) => (isUrgent ? 0 : isQuiet ? 2 : 1);
  return [...jobs].sort((a, b) => rank(a) - rank(b) || b.seconds - a.seconds);
}

/** Returns a function that reports how many processors were idle since its last call, on average. */
export function measureIdle() {
  let last = readTimes();
  return () => {
    const now = readTimes();
    const part = now.all > last.all ? (now.idle - last.idle) / (now.all - last.all) : 0;
    last = now;
    return part * cpus().length;
  };
}

/** A processor that waits for the disk is idle; Node omits that time. */
function readTimes() {
  if (process.platform !== "linux") {
    const times = cpus().map((cpu) => cpu.times);
    return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap(Object.values)) };
  }
  const [user, nice, system, idle, waiting, ...others] = readFileSync("/proc/stat", "utf8")
    .split("\n", 1)[0]
    .trim()
    .split(/\s+/)
    .slice(1, 9) // guest time is part of user time
    .map(Number);
  return { idle: idle + waiting, all: sum([user, nice, system, idle, waiting, ...others]) };
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
