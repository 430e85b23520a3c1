// Measures command output through the runner against the same runtime reading the pipe and discarding the data, and what the
// guard costs a command that does nothing. The subjects take turns, so that other load affects all of them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcessRunner } from "../packages/exec/src/processes/process-runner.ts";
import { runShellCommand } from "../packages/exec/src/processes/shell/shell-command.ts";
import { median, printTable } from "./support/table.ts";

const OUTPUT_ROUNDS = 5;
const START_ROUNDS = 200;
const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
const processRunner = new ProcessRunner({ environment: process.env });
const limits = { maxLines: 3000, maxBytes: 51_200 };
let spillCount = 0;

async function runBare(command: string): Promise<void> {
  const child = Bun.spawn(["bash", "-c", command], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
  });
  for await (const _chunk of child.stdout);
  await child.exited;
}

async function runThroughRunner(command: string): Promise<void> {
  await runShellCommand(processRunner, { command, cwd: scratch, limits });
}

async function runWithSpill(command: string): Promise<void> {
  const newPath = () => join(scratch, `${++spillCount}.bash.log`);
  const spill = { newPath, maxBytes: 256 * 1024 * 1024 };
  const { fullOutputPath } = await runShellCommand(processRunner, { command, cwd: scratch, limits, spill });
  if (fullOutputPath) rmSync(fullOutputPath);
}

/** The program in its own process group, without supervision. */
async function startUnguarded(): Promise<void> {
  await Bun.spawn(["bash", "-c", "true"], { stdio: ["ignore", "pipe", "ignore"], detached: true }).exited;
}

async function startGuarded(): Promise<void> {
  const child = processRunner.start({ command: ["bash", "-c", "true"], cwd: scratch, stderr: "merge" });
  await child.exited;
  void child.stdout.discardRest();
}

const outputs = {
  "no newline at all": "head -c 1000000000 /dev/zero | tr '\\0' x",
  "a newline every 2 bytes": "yes | head -c 1000000000",
  "lines of 60 bytes": `yes ${"x".repeat(59)} | head -c 1000000000`,
};
const readers = { "read and discard": runBare, runner: runThroughRunner, "runner, 256 MiB kept": runWithSpill };

for (const [name, command] of Object.entries(outputs)) {
  const results = await takeTurns(readers, OUTPUT_ROUNDS, (read) => measure(() => read(command)));
  console.log(`1 GB of output, ${name}`);
  printRatios(results);
}

const starts = {
  "bash -c true, bare": startUnguarded,
  "with the process runner's guard": startGuarded,
  "as a shell command": () => runThroughRunner("true"),
};
console.log("start to exit");
printRatios(await takeTurns(starts, START_ROUNDS, (start) => measure(start)));

await processRunner.killAll("shutdown");
rmSync(scratch, { recursive: true, force: true });

interface Measured {
  ms: number;
  grownMb: number;
}

async function takeTurns<T>(
  subjects: Record<string, T>,
  rounds: number,
  run: (subject: T) => Promise<Measured>,
): Promise<Record<string, Measured[]>> {
  const results: Record<string, Measured[]> = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, subject] of Object.entries(subjects)) {
      const measured = await run(subject);
      results[name] ??= [];
      if (round > 0) results[name].push(measured); // the first round warms up
    }
  }
  return results;
}

/** Measures the time, and how much memory grew. */
async function measure(job: () => Promise<void>): Promise<Measured> {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const started = performance.now();
  await job();
  const ms = performance.now() - started;
  clearInterval(sampler);
  return { ms, grownMb: (Math.max(peak, process.memoryUsage.rss()) - before) / 1e6 };
}

function printRatios(results: Record<string, Measured[]>): void {
  const rows = Object.entries(results).map(([name, list]) => ({
    name,
    middle: median(list.map(({ ms }) => ms)),
    best: Math.min(...list.map(({ ms }) => ms)),
    grownMb: Math.max(...list.map(({ grownMb }) => grownMb)),
  }));
  const [base] = rows;
  printTable([
    ["", "median ms", "ratio", "best ms", "ratio", "RSS growth MB"],
    ...rows.map(({ name, middle, best, grownMb }) => [
      name,
      middle.toFixed(2),
      (middle / (base?.middle ?? Number.NaN)).toFixed(2),
      best.toFixed(2),
      (best / (base?.best ?? Number.NaN)).toFixed(2),
      grownMb.toFixed(1),
    ]),
  ]);
}
