// What extensions cost: at the start, against a bare dynamic import of the same files, and per delta of a long answer, against
// the same session without any. The last row has a subscriber that is too slow: it must cost what a quick one costs, or less.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scriptedModel } from "@pintle/ai/testing";
import type { ExtensionFactory } from "../packages/coding-agent/src/extensibility/extensions/types.ts";
import { median, printTable } from "./support/table.ts";

const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
const extensibility = join(import.meta.dir, "../packages/coding-agent/src/extensibility");
const START_ROUNDS = 11;
const DELTAS = 16_000;
const DELTA_ROUNDS = 41;

/** A process that loads so many trivial modules and says how long that took. */
function writeLoader(name: string, count: number, load: string): string {
  const folder = join(scratch, `modules-${count}`);
  mkdirSync(folder, { recursive: true });
  const files = Array.from({ length: count }, (_, index) => join(folder, `e${index}.ts`));
  for (const file of files) {
    writeFileSync(file, 'export default (pi) => { pi?.on("agent_end", () => {}); };\n');
  }
  const script = join(scratch, `${name}-${count}.ts`);
  writeFileSync(
    script,
    `const files = ${JSON.stringify(files)};\nconst startedAt = performance.now();\n${load}\nconsole.log(performance.now() - startedAt);\n`,
  );
  return script;
}

const BARE = "await Promise.all(files.map(async (file) => (await import(file)).default()));";
const RUNNER = `
const { ExtensionRunner } = await import(${JSON.stringify(join(extensibility, "extensions/extension-runner.ts"))});
await ExtensionRunner.load({
  sources: files.map((path) => ({ path, realPath: path, scope: "flag" })),
  home: ${JSON.stringify(scratch)}, rim: { cwd: "/", gateway() {} }, publicExports: async () => ({}),
});`;
/** What the program has loaded anyway by then. */
const LOADED_BEFORE = `await import(${JSON.stringify(join(import.meta.dir, "../packages/coding-agent/src/sdk.ts"))});\n`;

function run(script: string): number {
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, script]);
  if (exitCode !== 0) throw new Error(stderr.toString());
  return Number(stdout.toString().trim());
}

const rows: (string | number)[][] = [["extensions", "bare import ms", "pintle ms", "ratio", "ms each beyond 0"]];
let base = 0;
for (const count of [0, 10, 50]) {
  const bare = writeLoader("bare", count, BARE);
  const own = writeLoader("runner", count, RUNNER).toString();
  writeFileSync(own, LOADED_BEFORE + (await Bun.file(own).text()));
  const times = { bare: [] as number[], own: [] as number[] };
  for (let round = 0; round < START_ROUNDS; round += 1) {
    times.bare.push(run(bare));
    times.own.push(run(own));
  }
  const [bareMs, ownMs] = [median(times.bare), median(times.own)];
  if (count === 0) base = ownMs;
  const each = count === 0 ? "-" : ((ownMs - base) / count).toFixed(2);
  rows.push([count, bareMs.toFixed(1), ownMs.toFixed(1), count === 0 ? "-" : (ownMs / bareMs).toFixed(2), each]);
}
console.log(
  "start (with no extension at all nothing of this is loaded; the first row is what the first one brings in)",
);
printTable(rows);

const { ExtensionRunner } = await import("../packages/coding-agent/src/extensibility/extensions/extension-runner.ts");
const { createAgentSession } = await import("../packages/coding-agent/src/sdk.ts");

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
  const gateway = () => Promise.reject(new Error("nothing is started"));
  const rim = { cwd: scratch, gateway };
  const runner = await ExtensionRunner.load({
    sources: [],
    inline,
    home: scratch,
    rim,
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
