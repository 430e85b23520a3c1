// Measures a gigabyte of output through the tool `bash`, as the loop calls it, against the same runtime reading the
// pipe and discarding the data. Memory is measured in a separate process, so that no subject leaves its pages to the
// next.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Settings } from "../packages/coding-agent/src/config/settings/settings.ts";
import { bashTool } from "../packages/coding-agent/src/tools/bash.ts";
import { createTool } from "../packages/coding-agent/src/tools/define-tool.ts";
import { ProcessRunner } from "../packages/exec/src/processes/process-runner.ts";
import { median, printTable } from "./support/table.ts";

const ROUNDS = 5;
const BYTES = 1_000_000_000;
const outputs: Record<string, string> = {
  "no newline": `head -c ${BYTES} /dev/zero | tr '\\0' x`,
  "lines of 60 bytes": `yes ${"x".repeat(59)} | head -c ${BYTES}`,
  "lines with two colours": `yes $'\\e[32m${"x".repeat(50)}\\e[0m' | head -c ${BYTES}`,
  "a progress bar": `yes $'\\e[K${"#".repeat(50)} 99%' | tr '\\n' '\\r' | head -c ${BYTES}`,
};
const subjects: Record<string, (command: string) => Promise<void>> = {
  "read and discard": readAndDiscard,
  "bash tool, nothing kept": (command) => callTool(command, 0),
  "bash tool, 256 MiB kept": (command) => callTool(command, 256 * 1024 * 1024),
};

const [subject, output] = process.argv.slice(2);
if (subject !== undefined && output !== undefined) await report(subject, output);
else for (const name of Object.keys(outputs)) await compare(name);

async function readAndDiscard(command: string): Promise<void> {
  const child = Bun.spawn(["bash", "-c", command], { stdio: ["ignore", "pipe", "ignore"], detached: true });
  for await (const _chunk of child.stdout);
  await child.exited;
}

async function callTool(command: string, maxSpillBytes: number): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
  const processRunner = new ProcessRunner({ environment: process.env });
  const tool = createTool(bashTool, {
    cwd: () => scratch,
    home: scratch,
    settings: Settings.inMemory({ "tools.maxSpillBytes": maxSpillBytes }),
    processRunner: async () => processRunner,
    newSpillPath: async () => join(scratch, "1.bash.log"),
    takesImages: () => false,
    pushPendingAction: () => {},
  });
  const { signal } = new AbortController();
  const batch = { id: "b", index: 0, total: 1, names: ["bash"] };
  await tool.execute({ command }, { id: "c", signal, steeringSignal: signal, update: () => {}, batch });
  await processRunner.killAll("shutdown");
  rmSync(scratch, { recursive: true, force: true });
}

/** Runs in its own process: how long it took and how much memory grew. */
async function report(name: string, output: string): Promise<void> {
  const run = subjects[name]!;
  await run("echo warm");
  const before = process.memoryUsage.rss();
  let peak = before;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 20);
  const started = performance.now();
  await run(outputs[output]!);
  const ms = performance.now() - started;
  clearInterval(sampler);
  console.log(JSON.stringify({ ms, grownMb: (peak - before) / 1e6 }));
}

async function compare(output: string): Promise<void> {
  const results: Record<string, { ms: number; grownMb: number }[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of Object.keys(subjects)) {
      const { stdout } = Bun.spawnSync([process.execPath, import.meta.path, name, output]);
      results[name] ??= [];
      results[name].push(JSON.parse(stdout.toString()));
    }
  }
  const rows = Object.entries(results).map(([name, list]) => ({
    name,
    best: Math.min(...list.map(({ ms }) => ms)),
    middle: median(list.map(({ ms }) => ms)),
    grownMb: Math.max(...list.map(({ grownMb }) => grownMb)),
  }));
  const base = rows[0]!;
  console.log(`1 GB of output, ${output}`);
  printTable([
    ["", "best ms", "ratio", "median ms", "ratio", "RSS growth MB"],
    ...rows.map(({ name, best, middle, grownMb }) => [
      name,
      best.toFixed(0),
      (best / base.best).toFixed(2),
      middle.toFixed(0),
      (middle / base.middle).toFixed(2),
      grownMb.toFixed(1),
    ]),
  ]);
}
