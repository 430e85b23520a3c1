// A child process whose output is read line by line, and which cannot hang for ever.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { root } from "./paths.mjs";
import { startProgress } from "./progress.mjs";

const TAIL_LINES = 200;
/** How long output may still come after the end: what the child has started may hold its pipes for ever. */
const DRAIN_MS = 3_000;

/**
 * @typedef {{ ok: boolean, ending: string, tail: string, seconds: number }} Ended `ending` says in words how it ended
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, silenceMs?: number, onLine?: (line: string, from: "stdout" | "stderr") => void }} options
 *   after `silenceMs` without a line the child and everything in its process group are killed
 * @returns {Promise<Ended>}
 */
export async function runChild(command, args, { env = process.env, silenceMs, onLine = () => {} } = {}) {
  const startedAt = performance.now();
  // A group of its own, so that a stuck runner takes along what it has started.
  const detached = process.platform !== "win32";
  const child = spawn(command, args, { cwd: root, env, detached, stdio: ["ignore", "pipe", "pipe"] });
  const kill = (signal) => {
    try {
      process.kill(detached ? -child.pid : child.pid, signal);
    } catch (error) {
      if (error.code !== "ESRCH") throw error;
    }
  };
  const passOn = ["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => {
    const listener = () => {
      kill(signal);
      process.exit(1);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });

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
      onLine(line, from);
    });
    return new Promise((resolve) => reader.on("close", resolve));
  });

  const ending = await new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  clearTimeout(silence);
  for (const stop of passOn) stop();
  let drain;
  await Promise.race([Promise.all(readers), new Promise((resolve) => (drain = setTimeout(resolve, DRAIN_MS)))]);
  clearTimeout(drain);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return {
    ok: ending === "code 0",
    ending: isStuck ? `killed after ${Math.round(silenceMs / 1_000)} s without a word` : `ended with ${ending}`,
    tail: tail.join("\n"),
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

/** Something long that people wait for: the seconds are shown, the output only when it fails. */
export async function runShown(what, command, args, { env } = {}) {
  const progress = startProgress(() => what);
  const ended = await runChild(command, args, { env }).finally(() => progress.end());
  if (!ended.ok) throw new Error(`${what}: ${command} ${ended.ending}\n${ended.tail}`);
  console.error(`${what}: done after ${Math.round(ended.seconds)} s`);
}
