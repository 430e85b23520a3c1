// Measures what the sandbox costs a command: `sh -c true` with the full sandbox, against the same command bare and
// under bubblewrap alone, in the same run. Also measures the probe that runs once before it.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Child, ProcessRunner } from "../packages/exec/src/processes/process-runner.ts";
import { usualBubblewrap } from "../packages/exec/src/sandbox/probe.ts";
import { Sandbox } from "../packages/exec/src/sandbox/sandbox.ts";
import { median, printTable } from "./support/table.ts";

const ROUNDS = 200;
const COMMAND = ["/bin/sh", "-c", "true"] as const;

const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
const workspace = join(scratch, "workspace");
mkdirSync(join(workspace, ".git/hooks"), { recursive: true });
const processRunner = new ProcessRunner({ environment: process.env });

function open(name: string, bubblewrap?: null, home = join(scratch, "home")): Sandbox {
  return new Sandbox({
    policy: () => ({
      mode: "workspace-write",
      network: "off",
      workspaces: [workspace],
      temp: ["/var/tmp"],
      write: [],
      hide: [join(scratch, "home")],
      home,
    }),
    required: () => (bubblewrap === null ? "partial" : "full"),
    directory: join(scratch, "home", name),
    version: "bench",
    processRunner: async () => processRunner,
    ...(bubblewrap === null && { bubblewrap }),
  });
}

async function toEnd(child: Child): Promise<void> {
  const [{ code }] = await Promise.all([child.exited, child.stdout.discardRest()]);
  if (code !== 0) throw new Error(`the command ended with ${code}`);
}

const [full, partial, inHome] = [open("full"), open("partial", null), open("in-home", undefined, workspace)];
const inSandbox = (sandbox: Sandbox) => async () => {
  const wrapped = await sandbox.wrap({ command: COMMAND, cwd: workspace, env: {} });
  await toEnd(processRunner.start({ ...wrapped, cwd: workspace, stderr: "merge" }));
  wrapped.afterwards?.();
};
const bareBubblewrap = [
  usualBubblewrap() ?? "bwrap",
  "--unshare-all",
  "--die-with-parent",
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--bind",
  workspace,
  workspace,
] as const;
const start = (command: readonly [string, ...string[]]) => () =>
  toEnd(processRunner.start({ command, cwd: workspace, stderr: "merge" }));

const kinds = {
  bare: start(COMMAND),
  "bubblewrap alone": start([...bareBubblewrap, ...COMMAND]),
  "Landlock and seccomp alone (partial)": inSandbox(partial),
  "everything (full)": inSandbox(full),
  "the same, the home directory is the workspace": inSandbox(inHome),
};

const probedAt = performance.now();
await full.strength();
const probeMs = performance.now() - probedAt;
await partial.strength();
await inHome.strength();

const times = Object.fromEntries(Object.keys(kinds).map((name) => [name, [] as number[]]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, run] of Object.entries(kinds)) {
    const startedAt = performance.now();
    await run();
    times[name]?.push(performance.now() - startedAt);
  }
}
await processRunner.killAll("shutdown", 0);
rmSync(scratch, { recursive: true, force: true });

const of = (name: string, pick: (values: number[]) => number) => pick(times[name] ?? []);
// The fastest tenth: on a busy machine the others measure the scheduler.
const quick = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;
const [bare, alone] = [of("bare", quick), of("bubblewrap alone", quick)];
console.log(`the probe, once per start of the system: ${probeMs.toFixed(0)} ms`);
printTable([
  ["sh -c true", "quick ms", "over bare ms", "ratio to bare", "ratio to bubblewrap", "median ms"],
  ...Object.keys(kinds).map((name) => {
    const ms = of(name, quick);
    const ratios = [(ms - bare).toFixed(1), (ms / bare).toFixed(2), (ms / alone).toFixed(2)];
    return [name, ms.toFixed(1), ...ratios, of(name, median).toFixed(1)];
  }),
]);
