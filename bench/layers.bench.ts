// Measures what the layer of a transaction costs: its start on 1,000 and on 10,000 files, for a copy against `cp -a`, and a
// command in it against the same command in the sandbox alone, all in the same run.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Layer, type LayerStrength } from "../packages/exec/src/layers/index.ts";
import { ProcessRunner } from "../packages/exec/src/processes/process-runner.ts";
import { Sandbox } from "../packages/exec/src/sandbox/sandbox.ts";
import { median, printTable } from "./support/table.ts";

const ROUNDS = 15;
const COPIES = 3; // slow
const COMMANDS = 100;
const FILES_PER_DIRECTORY = 50;

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "pintle-bench-")));
const processRunner = new ProcessRunner({ environment: process.env });
const directory = join(scratch, "home/transactions");

function workspaceOf(files: number): string {
  const path = join(scratch, `workspace-${files}`);
  for (let at = 0; at < files; at += 1) {
    const parent = join(path, `d${Math.floor(at / FILES_PER_DIRECTORY)}`);
    if (at % FILES_PER_DIRECTORY === 0) mkdirSync(parent, { recursive: true });
    writeFileSync(join(parent, `f${at}.ts`), `export const value = ${at};\n`.repeat(20));
  }
  return path;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

const start = (root: string, strength: LayerStrength) =>
  Layer.start({ directory, id: "bench", roots: [root], strengths: [strength], processRunner });

async function toEnd(command: readonly [string, ...string[]], cwd: string, isSupervised = false): Promise<void> {
  const child = processRunner.start({ command, cwd, stderr: "merge", isSupervised });
  const [{ code }] = await Promise.all([child.exited, child.stdout.discardRest()]);
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}`);
}

const [small, large] = [workspaceOf(1_000), workspaceOf(10_000)];
const starts: Record<string, number[]> = {};
const note = (name: string, ms: number) => {
  starts[name] ??= [];
  starts[name].push(ms);
};
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, root] of [
    ["1,000 files", small],
    ["10,000 files", large],
  ] as const) {
    for (const strength of round < COPIES ? (["overlay", "copy"] as const) : (["overlay"] as const)) {
      let layer: Layer | undefined;
      note(`${strength}, ${name}`, await timed(async () => (layer = await start(root, strength))));
      layer?.discard();
    }
    if (round >= COPIES) continue;
    const copy = join(scratch, "copy");
    note(`cp -a, ${name}`, await timed(() => toEnd(["cp", "-a", root, copy], "/")));
    rmSync(copy, { recursive: true });
  }
}

const sandbox = new Sandbox({
  policy: () => ({
    mode: "workspace-write",
    network: "off",
    workspaces: [small],
    temp: ["/var/tmp"],
    write: [],
    hide: [join(scratch, "home")],
    home: join(scratch, "home"),
  }),
  required: () => "full",
  directory: join(scratch, "home/sandbox"),
  version: "bench",
  processRunner: async () => processRunner,
});
const layer = await start(small, "overlay");
const shell = { command: ["/bin/sh", "-c", "echo x > d0/f0.ts"] as const, cwd: small, env: {} };
const commands: Record<string, number[]> = { "in the sandbox": [], "in the sandbox and the layer": [] };
for (let round = 0; round < COMMANDS; round += 1) {
  for (const name of Object.keys(commands)) {
    const ms = await timed(async () => {
      const { command, isSupervised, afterwards } = await sandbox.wrap(shell);
      const isInLayer = name !== "in the sandbox";
      await toEnd(isInLayer ? layer.command(command, { cwd: small, isSandboxed: true }) : command, small, isSupervised);
      afterwards?.();
    });
    commands[name]?.push(ms);
  }
}
layer.discard();
await processRunner.killAll("shutdown", 0);
rmSync(scratch, { recursive: true, force: true });

const ms = (name: string) => median(starts[name] ?? []);
const ratio = (name: string, base: string) => `${(ms(name) / ms(base)).toFixed(2)}x`;
printTable([
  ["start", "1,000 files ms", "10,000 files ms", "10,000 to 1,000", "10,000 to cp -a"],
  ...(["overlay", "copy", "cp -a"] as const).map((name) => [
    name,
    ms(`${name}, 1,000 files`).toFixed(1),
    ms(`${name}, 10,000 files`).toFixed(1),
    ratio(`${name}, 10,000 files`, `${name}, 1,000 files`),
    ratio(`${name}, 10,000 files`, "cp -a, 10,000 files"),
  ]),
]);
const alone = median(commands["in the sandbox"] ?? []);
printTable([
  ["a command", "median ms", "ratio"],
  ...Object.entries(commands).map(([name, times]) => [
    name,
    median(times).toFixed(1),
    `${(median(times) / alone).toFixed(2)}x`,
  ]),
]);
