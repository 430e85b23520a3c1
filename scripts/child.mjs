// A child process whose output is read line by line, and which cannot hang forever.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import { root } from "./paths.mjs";
import { startProgress } from "./progress.mjs";

const TAIL_LINES = 200;
/** How long output may still arrive after the end: grandchildren may keep the pipes open forever. */
const DRAIN_MS = 3_000;
/** How long children may take to end after a signal before they are killed. */
const FAREWELL_MS = 2_000;

/** A signal to this process ends all running children. */
const running = new Set();
/** Set by a signal: the children that it ends. */
let endingChildren;

/**
 * @typedef {{ ok: boolean, ending: string, tail: string, seconds: number }} Ended `ending` says in words how it ended
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, silenceMs?: number, onLine?: (line: string, from: "stdout" | "stderr", pid: number) => void }} options
 *   after `silenceMs` without a line the child and everything in its process group are killed
 * @returns {Promise<Ended>}
 */
export async function runChild(command, args, { env = process.env, silenceMs, onLine = () => {} } = {}) {
  if (endingChildren !== undefined) return new Promise(() => {}); // nothing starts any more
  const startedAt = performance.now();
  // A separate process group, so that a stuck runner is killed with everything it has started.
  const detached = process.platform !== "win32";
  const child = spawn(command, args, { cwd: root, env, detached, stdio: ["ignore", "pipe", "pipe"] });
  const kill = (signal) => {
    try {
      if (child.pid !== undefined) process.kill(detached ? -child.pid : child.pid, signal);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  };
  listenForSignals();
  running.add(kill);

  const tail = [];
  let isStuck = false;
  const giveUp = () => {
    isStuck = true;
    kill("SIGKILL");
  };
  let silence = silenceMs === undefined ? undefined : setTimeout(giveUp, silenceMs);
  const readers = ["stdout", "stderr"].map((from) => {
    const reader = createInterface({ input: child[from] });
    reader.on("line", (line) => {
      silence = silence?.refresh();
      tail.push(line);
      if (tail.length > TAIL_LINES) tail.shift();
      onLine(line, from, child.pid);
    });
    return new Promise((resolve) => reader.on("close", resolve));
  });

  const ending = await new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  clearTimeout(silence);
  running.delete(kill);
  if (endingChildren !== undefined) return new Promise(() => {}); // a result caused by the signal is not the child's
  let drain;
  await Promise.race([Promise.all(readers), new Promise((resolve) => (drain = setTimeout(resolve, DRAIN_MS)))]);
  clearTimeout(drain);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return {
    ok: ending === "code 0",
    ending: isStuck ? `killed after ${Math.round(silenceMs / 1_000)} s without output` : `ended with ${ending}`,
    tail: tail.join("\n"),
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

function listenForSignals() {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    if (!process.listeners(signal).includes(endAll)) process.on(signal, endAll);
}

function endAll(signal) {
  const isSecond = endingChildren !== undefined;
  // Also after a child has ended: processes that it started may be left in its group.
  endingChildren ??= [...running];
  const end = () => {
    for (const kill of endingChildren) kill("SIGKILL");
    process.exit(128 + constants.signals[signal]);
  };
  const startedAt = performance.now();
  // A second Ctrl-C ends everything immediately.
  if (isSecond) end();
  for (const kill of endingChildren) kill(signal);
  setInterval(() => {
    if (running.size === 0 || performance.now() - startedAt > FAREWELL_MS) end();
  }, 20);
}

/** A long operation that people wait for: shows the seconds, and the output only if it fails. */
export async function runShown(what, command, args, { env } = {}) {
  const progress = startProgress(() => what);
  const seconds = await runOrThrow(what, command, args, { env }).finally(() => progress.end());
  console.error(`${what}: done after ${Math.round(seconds)} s`);
}

/** Returns the seconds that it took. Throws with the output if it fails. */
export async function runOrThrow(what, command, args, { env } = {}) {
  const ended = await runChild(command, args, { env });
  if (!ended.ok) throw new Error(`${what}: ${command} ${ended.ending}\n${ended.tail}`);
  return ended.seconds;
}
