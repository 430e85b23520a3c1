// Measures what extensions cost: at the start of the built program, against a bare dynamic import of the same files,
// and per delta of a long answer, against the same session without any. The last row has a subscriber that is too slow:
// it must cost no more than a fast one.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedModel } from "@pintle/ai/testing";
import type { ExtensionFactory } from "../packages/coding-agent/src/extensibility/api/extension-types.ts";
import { readyMs } from "./support/ready.ts";
import { median, printTable } from "./support/table.ts";

const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
const COUNTS = [0, 1, 10, 50];
const START_ROUNDS = 15;
const DELTAS = 16_000;
const DELTA_ROUNDS = 41;

/** A home with this many trivial extensions, and a script that imports the same files and prints how long that took. */
function writeHome(count: number): { home: string; script: string } {
  const home = join(scratch, `home-${count}`);
  const folder = join(home, ".pintle", "extensions");
  mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: count }, (_, index) => join(folder, `e${index}.ts`));
  for (const file of files) writeFileSync(file, 'export default (pi) => { pi?.on("agent_end", () => {}); };\n');
  const script = join(home, "import-all.ts");
  writeFileSync(
    script,
    `const files = ${JSON.stringify(files)};
     const startedAt = performance.now();
     await Promise.all(files.map(async (file) => (await import(file)).default()));
     console.log(performance.now() - startedAt);`,
  );
  return { home, script };
}

function bareImportMs(script: string): number {
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, script]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return Number(stdout.toString().trim());
}

const homes = COUNTS.map(writeHome);
const startTimes = COUNTS.map(() => ({ bare: [] as number[], ready: [] as number[] }));
for (let round = 0; round <= START_ROUNDS; round += 1) {
  for (const [index, { home, script }] of homes.entries()) {
    const [bare, ready] = [bareImportMs(script), await readyMs(home, join(home, ".pintle"))];
    if (round === 0) continue; // fills the caches
    startTimes[index]?.bare.push(bare);
    startTimes[index]?.ready.push(ready);
  }
}
const without = median(startTimes[0]?.ready ?? []);
console.log("start of the built program");
printTable([
  ["extensions", "bare import ms", "ready after ms", "more than without", "ratio to bare"],
  ...COUNTS.map((count, index) => {
    const { bare, ready } = startTimes[index] ?? { bare: [], ready: [] };
    const [bareMs, more] = [median(bare), median(ready) - without];
    const ratio = count === 0 ? "-" : (more / bareMs).toFixed(2);
    return [count, bareMs.toFixed(1), median(ready).toFixed(1), more.toFixed(1), ratio];
  }),
]);

const { ExtensionRunner } = await import("../packages/coding-agent/src/extensibility/extensions/extension-runner.ts");
const { createAgentSession } = await import("../packages/coding-agent/src/sdk/create-session.ts");

/** Milliseconds for one long answer in a real session. */
async function answerMs(inline: readonly ExtensionFactory[] | undefined): Promise<number> {
  const answer = [{ text: "ten chars ".repeat(DELTAS), chunk: 10 }];
  const { session } = await createAgentSession({
    cwd: scratch,
    env: { PINTLE_HOME: scratch },
    session: { inMemory: true },
    stream: scriptedModel([answer]).stream,
    flags: { model: "pintle/offline" },
  });
  const runner = inline && (await runnerOf(inline));
  if (runner) session.useHooks(runner);
  const startedAt = performance.now();
  await session.prompt("go");
  const ms = performance.now() - startedAt;
  await runner?.observed();
  await session.dispose();
  return ms;
}

async function runnerOf(inline: readonly ExtensionFactory[]) {
  const processRunner = () => Promise.reject(new Error("nothing is started"));
  const environment = { cwd: scratch, processRunner };
  const runner = await ExtensionRunner.load({
    sources: [],
    inline,
    home: scratch,
    environment,
    publicExports: async () => ({}),
  });
  runner.bind({ setExtensionTools() {}, commandsChanged() {}, report: console.error } as never);
  return runner;
}

const subscriber: ExtensionFactory = (pi) => pi.on("message_update", () => {});
const elsewhere: ExtensionFactory = (pi) => pi.on("agent_end", () => {});
const slow: ExtensionFactory = (pi) => pi.on("message_update", () => Bun.sleep(5));
const subjects: [string, readonly ExtensionFactory[] | undefined][] = [
  ["no extensions", undefined],
  ["10 extensions, none of them for updates", Array(10).fill(elsewhere)],
  ["1 subscriber", [subscriber]],
  ["10 subscribers", Array(10).fill(subscriber)],
  ["1 subscriber that takes 5 ms", [slow]],
];
const times = subjects.map(() => [] as number[]);
for (let round = 0; round < DELTA_ROUNDS; round += 1) {
  for (const [index, [, inline]] of subjects.entries()) {
    const ms = await answerMs(inline);
    if (round > 0) times[index]?.push(ms); // the first one warms up
  }
}
const control = median(times[0] ?? []);
console.log(`\nan answer of ${DELTAS} deltas`);
printTable([
  ["", "ms", "ns per delta more", "ratio"],
  ...subjects.map(([name], index) => {
    const ms = median(times[index] ?? []);
    return [name, ms.toFixed(1), (((ms - control) / DELTAS) * 1e6).toFixed(0), (ms / control).toFixed(2)];
  }),
]);
rmSync(scratch, { recursive: true, force: true });
