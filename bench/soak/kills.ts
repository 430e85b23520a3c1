// Kills the built program with SIGKILL at random moments while it runs prompts and switches sessions, and restarts it
// on the same session. Every message of a `message_end` must be in the session afterwards, in order, and the session
// must continue. `bun bench/soak/kills.ts [kills]` from the repository's root, after a build. Linux only.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processesWith } from "./process-figures.ts";
import { startToolModel } from "./tool-model.ts";

const [kills = 2000] = process.argv.slice(2).map(Number);
/** A session that has seen this many kills is abandoned, so that reading it back does not dominate. */
const KILLS_PER_SESSION = 25;
/** It is killed after one of the first frames, up to this many milliseconds later. */
const FRAMES_OF_A_LIFE = 60;
const MOST_DELAY_MS = 3;
const LONGEST_LIFE_MS = 5_000;

// biome-ignore lint/suspicious/noExplicitAny: frames of every kind; each place reads what it asked for
type Frame = Record<string, any>;

using model = startToolModel();
const home = mkdtempSync(join(tmpdir(), "pintle-kills-"));
const [project, scratch] = ["project", "tmp"].map((name) => join(home, name)) as [string, string];
for (const path of [project, scratch]) mkdirSync(path);
writeFileSync(join(home, "models.json"), model.config, { mode: 0o600 });
const env = { PATH: process.env.PATH, HOME: home, PINTLE_HOME: home, TMPDIR: scratch };
const program = join(import.meta.dir, "../../dist/pintle");

const tally = { kills: 0, received: 0, lost: [] as string[], refused: [] as string[], sessions: 0 };

function start(file: string | undefined) {
  const session = file === undefined ? [] : ["--session", file];
  return Bun.spawn([program, "--mode", "rpc", "--model", "soak/soak", ...session], {
    cwd: project,
    env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
}

type Child = ReturnType<typeof start>;

async function* framesOf(child: Child): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of child.stdout) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield JSON.parse(line); // a torn line is not a frame: it was not emitted
  }
}

function send(child: Child, ...frames: Frame[]): void {
  child.stdin.write(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""));
  child.stdin.flush();
}

/** Runs the program for a while, kills it, and returns what it emitted. */
async function liveAndDie(file: string | undefined): Promise<{ file: string | undefined; received: Frame[] }> {
  const child = start(file);
  const received: Frame[] = [];
  let known = file;
  const words = Array.from({ length: 3 }, (_, n) => `word-${tally.kills}-${n}`);
  send(child, ...words.map((word) => ({ type: "prompt", message: `echo ${word}`, streamingBehavior: "followUp" })));
  const tooLong = setTimeout(() => child.kill("SIGKILL"), LONGEST_LIFE_MS);
  let left = 1 + Math.floor(Math.random() * FRAMES_OF_A_LIFE);
  for await (const frame of framesOf(child)) {
    left -= 1;
    if (left === 0) setTimeout(() => child.kill("SIGKILL"), Math.random() * MOST_DELAY_MS);
    if (frame.type === "ready") known = frame.sessionFile;
    if (frame.type === "message_end") received.push(frame.message);
  }
  clearTimeout(tooLong);
  await child.exited;
  return { file: known, received };
}

/** Returns what another process reads of that session, and whether it continues. */
async function readBack(file: string): Promise<Frame[] | string> {
  const child = start(file);
  send(child, { id: "m", type: "get_messages" }, { id: "p", type: "prompt", message: "echo after" });
  let messages: Frame[] | undefined;
  for await (const frame of framesOf(child)) {
    if (frame.id === "m") messages = frame.success ? frame.data.messages : undefined;
    if (frame.type === "agent_settled") child.stdin.end();
  }
  const code = await child.exited;
  return messages && code === 0 ? messages : `it ended with ${code}`;
}

const same = (message: Frame) => JSON.stringify([message.role, message.content, message.toolCallId]);

/** Returns emitted messages that are missing or out of order. */
function lostOf(received: readonly Frame[], stored: readonly Frame[]): string[] {
  let at = 0;
  return received.map(same).filter((message) => {
    const found = stored.findIndex((one, index) => index >= at && same(one) === message);
    if (found >= 0) at = found + 1;
    return found < 0;
  });
}

const began = performance.now();
try {
  while (tally.kills < kills) {
    tally.sessions += 1;
    let file: string | undefined;
    const received: Frame[] = [];
    for (let n = 0; n < KILLS_PER_SESSION && tally.kills < kills; n += 1) {
      const life = await liveAndDie(file);
      tally.kills += 1;
      tally.received += life.received.length;
      received.push(...life.received);
      if (life.received.length > 0) file = life.file;
    }
    if (file === undefined) continue;
    const stored = await readBack(file);
    if (typeof stored === "string") tally.refused.push(stored);
    else tally.lost.push(...lostOf(received, stored));
    if (tally.sessions % 10 === 0) console.log(`${tally.kills} kills, ${tally.received} messages received`);
  }
  const { lost, refused, received, sessions } = tally;
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${tally.kills} kills in ${sessions} sessions, ${received} messages received, ${seconds} s`);
  console.log(`${lost.length} lost, ${refused.length} sessions that did not continue`);
  for (const line of [...lost, ...refused].slice(0, 5)) console.log(line.slice(0, 300));
  await Bun.sleep(1_000); // guards of killed programs need a moment to end
  console.log(
    `left over: ${processesWith(`PINTLE_HOME=${home}`).length} processes, ${readdirSync(scratch).length} temporary files`,
  );
  process.exitCode = lost.length + refused.length === 0 ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
