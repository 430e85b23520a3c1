// Measures the time to the first frame, and memory when idle, against a bare compiled Bun program that writes one line
// and reads stdin. The two take turns, so that other load affects both.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { median, printTable } from "./support/table.ts";

const ROUNDS = 31;
const scratch = mkdtempSync(join(tmpdir(), "pintle-bench-"));
const program = resolve(import.meta.dir, "../dist/pintle");
const bare = join(scratch, "bare");

writeFileSync(
  join(scratch, "bare.ts"),
  `import { writeSync } from "node:fs";
writeSync(1, '{"type":"ready"}\\n');
(async () => { for await (const _ of Bun.stdin.stream()); process.exit(0); })();`,
);
const built = Bun.spawnSync([
  process.execPath,
  "build",
  "--compile",
  "--bytecode",
  join(scratch, "bare.ts"),
  "--outfile",
  bare,
]);
if (built.exitCode !== 0) throw new Error(built.stderr.toString());

const subjects: Record<string, string[]> = {
  "bare program": [bare],
  "pintle --mode rpc": [program, "--mode", "rpc", "--model", "pintle/offline"],
  "pintle acp": [program, "acp"],
};
/** The input that a subject needs before it responds. */
const GREETINGS: Record<string, string> = {
  "pintle acp": '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n',
};
const results = Object.fromEntries(
  Object.keys(subjects).map((name) => [name, { ms: [] as number[], mb: [] as number[] }]),
);

for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, command] of Object.entries(subjects)) {
    const { ms, mb } = await startOnce(command, GREETINGS[name]);
    if (round === 0) continue; // cold caches
    results[name]?.ms.push(ms);
    results[name]?.mb.push(mb);
  }
}

const base = { ms: median(results["bare program"]?.ms ?? []), mb: median(results["bare program"]?.mb ?? []) };
printTable([
  ["", "ready ms", "ratio", "idle PSS MB", "ratio"],
  ...Object.entries(results).map(([name, { ms, mb }]) => [
    name,
    median(ms).toFixed(1),
    (median(ms) / base.ms).toFixed(2),
    median(mb).toFixed(1),
    (median(mb) / base.mb).toFixed(2),
  ]),
]);
rmSync(scratch, { recursive: true, force: true });

async function startOnce(command: string[], greeting?: string): Promise<{ ms: number; mb: number }> {
  const started = performance.now();
  const child = Bun.spawn(command, {
    cwd: scratch,
    env: { PATH: process.env.PATH ?? "", HOME: scratch, PINTLE_HOME: scratch },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  if (greeting !== undefined) {
    child.stdin.write(greeting);
    child.stdin.flush();
  }
  const reader = child.stdout.getReader();
  await reader.read();
  const ms = performance.now() - started;
  await Bun.sleep(100);
  const mb = idleMegabytes(child.pid);
  child.stdin.end();
  await child.exited;
  return { ms, mb };
}

/** Proportional set size: shared pages count by share. Linux only. */
function idleMegabytes(pid: number): number {
  try {
    const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}
