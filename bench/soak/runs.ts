// Makes many runs through the client: in one process, in processes one after another, and in many at once. Each run has
// a prompt, a tool call that starts a process, and an answer that is checked. Prints what should stay flat and what
// should be zero. `bun bench/soak/runs.ts [runs [one-by-one [at-once]]]` from the repository's root, after a build; 0
// skips a part.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RpcClient } from "../../packages/client/src/index.ts";
import { type Figures, figuresOf, processesWith, zombies } from "./process-figures.ts";
import { startToolModel } from "./tool-model.ts";

const [runs = 1000, oneByOne = 200, atOnce = 50] = process.argv.slice(2).map(Number);
const SESSION_EVERY = 50;

using model = startToolModel();
const home = mkdtempSync(join(tmpdir(), "pintle-soak-"));
const [project, scratch] = ["project", "tmp"].map((name) => join(home, name)) as [string, string];
for (const path of [project, scratch]) mkdirSync(path);
writeFileSync(join(home, "models.json"), model.config, { mode: 0o600 });
const env = { PATH: process.env.PATH, HOME: home, PINTLE_HOME: home, TMPDIR: scratch };
const program = join(import.meta.dir, "../../dist/pintle");

const tally = { asked: 0, right: 0, wrong: [] as string[], exits: new Map<string, number>() };

async function withClient<T>(job: (client: RpcClient, pid: number) => Promise<T>): Promise<T> {
  const children: ChildProcess[] = [];
  const client = new RpcClient({
    model: "soak/soak",
    updateMode: "delta",
    spawn(args) {
      const child = spawn(program, args, { cwd: project, env, stdio: "pipe" });
      children.push(child);
      return child;
    },
  });
  await client.start();
  try {
    return await job(client, children[0]?.pid ?? 0);
  } finally {
    await client.stop();
    const { code, signal } = await client.exited;
    const how = `${signal ?? code}`;
    tally.exits.set(how, (tally.exits.get(how) ?? 0) + 1);
  }
}

/** One run with a known answer. */
async function ask(client: RpcClient): Promise<void> {
  tally.asked += 1;
  const word = `word-${tally.asked}`;
  const { text } = await client.promptAndWait(`echo ${word}`);
  if (text === `It said ${word}`) tally.right += 1;
  else tally.wrong.push(text);
}

function show(what: string, { rssMb, pssMb, descriptors }: Figures): void {
  const host = figuresOf(process.pid);
  console.log(
    `${what.padEnd(28)} RSS ${rssMb.toFixed(1)} MB  PSS ${pssMb.toFixed(1)} MB  ${descriptors} descriptors` +
      `   host: RSS ${host.rssMb.toFixed(0)} MB  ${host.descriptors} descriptors`,
  );
}

function isStep(n: number, of: number): boolean {
  return n % Math.max(1, Math.floor(of / 10)) === 0;
}

async function inOneProcess(): Promise<void> {
  await withClient(async (client, pid) => {
    for (let run = 1; run <= runs; run += 1) {
      await ask(client);
      if (isStep(run, runs)) show(`${run} runs in one process`, figuresOf(pid));
      if (run % SESSION_EVERY === 0) await client.newSession();
    }
  });
}

async function oneAfterTheOther(): Promise<void> {
  for (let n = 1; n <= oneByOne; n += 1) {
    await withClient(async (client, pid) => {
      await ask(client);
      if (isStep(n, oneByOne)) show(`process ${n}, one by one`, figuresOf(pid));
    });
  }
}

async function allAtOnce(): Promise<void> {
  const asked = Promise.withResolvers<void>();
  let open = atOnce;
  const total = { rssMb: 0, pssMb: 0, descriptors: 0 };
  await Promise.all(
    Array.from({ length: atOnce }, () =>
      withClient(async (client, pid) => {
        await ask(client);
        await ask(client);
        open -= 1;
        if (open === 0) asked.resolve();
        await asked.promise; // all of them are alive at this moment
        const { rssMb, pssMb, descriptors } = figuresOf(pid);
        total.rssMb += rssMb;
        total.pssMb += pssMb;
        total.descriptors += descriptors;
      }),
    ),
  );
  show(`${atOnce} at once, together`, total);
}

const began = performance.now();
try {
  for (const [count, job] of [
    [runs, inOneProcess],
    [oneByOne, oneAfterTheOther],
    [atOnce, allAtOnce],
  ] as const) {
    if (count > 0) await job();
  }
  Bun.gc(true);
  show("at the end, this program", figuresOf(process.pid));
  const { asked, right, wrong, exits } = tally;
  console.log(`${right} of ${asked} answers right, ${model.requests()} requests, exits ${JSON.stringify([...exits])}`);
  if (wrong.length > 0) console.log("wrong:", wrong.slice(0, 5));
  const left = { processes: processesWith(`PINTLE_HOME=${home}`), zombies: zombies(), temporary: readdirSync(scratch) };
  console.log("left over:", JSON.stringify(left), `  ${((performance.now() - began) / 1000).toFixed(0)} s`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
