import { mkdirSync, writeFileSync } from "node:fs";
import { eventually } from "../../../../exec/test/support/processes/living-processes.ts";
import type { Dialect } from "../../../src/modes/rpc/dialects/dialect.ts";
import type { Frame } from "../scenarios/rpc-child.ts";
import { machine } from "../scenarios/stored-sessions.ts";
import { AnswerBook } from "./answer-book.ts";
import { expectedAnswer } from "./expected-answer.ts";
import { FrameStream } from "./frame-stream.ts";
import { startFuzzModel } from "./fuzz-model.ts";
import { family, startFuzzProcess } from "./fuzz-process.ts";
import { repliesTo } from "./host-replies.ts";
import { Knowledge } from "./knowledge.ts";
import { LineSource } from "./line-source.ts";
import { type Random, randomOf } from "./random.ts";

export interface FuzzOptions {
  seed: number;
  rounds: number;
  dialect: Dialect;
  /** No round starts after this time of `performance.now()`. */
  until?: number;
}

export interface FuzzReport {
  faults: string[];
  linesIn: number;
  framesOut: number;
  bytesIn: number;
  bytesOut: number;
  runs: number;
  /** Memory after each round, in MiB. */
  rss: number[];
  stderr: string;
}

/** Longer than every limit of the program. */
const ALIVE_MS = 30_000;

/** The pause between two lines: some hosts pipeline, others wait. */
const PAUSES_MS = [0, 0, 5, 50];

/** Keeps all waits short. */
const SETTINGS = {
  "stream.idleTimeoutMs": 400,
  "retry.baseDelayMs": 20,
  "retry.maxDelayMs": 1_000,
  "host.toolTimeoutMs": 1_000,
  "host.dialogTimeoutMs": 1_000,
  "resolve.timeoutMs": 1_000,
  "agent.maxTurns": 8,
  "session.fsync": "never",
};

/**
 * Runs one process from start to end. What is sent depends on the seed alone; what comes back also depends on the clock.
 */
export async function fuzz({ seed, rounds, dialect, until = Infinity }: FuzzOptions): Promise<FuzzReport> {
  const random = randomOf(seed);
  using place = machine();
  using server = await startFuzzModel(random.fork(1));
  useModel(place.env.PINTLE_HOME as string, server.url);
  const book = new AnswerBook(dialect);
  const knowledge = new Knowledge();
  const lines = new LineSource(random, knowledge);
  const report = { faults: [] as string[], linesIn: 0, bytesIn: 0, runs: 0, rss: [] as number[] };

  let written = Promise.resolve();
  const sendLine = (line: Uint8Array, chunks: Random, end = "\n"): Promise<void> => {
    const expected = expectedAnswer(line, dialect);
    if (expected) book.ask(expected);
    report.linesIn += 1;
    report.bytesIn += line.length + end.length;
    written = written.then(() => child.write(Buffer.concat([line, Buffer.from(end)]), chunks));
    return written;
  };
  const send = (frame: object, chunks: Random) => sendLine(Buffer.from(JSON.stringify(frame)), chunks);

  let onAnswer: (frame: Frame) => void = () => {};
  const frames = new FrameStream(dialect, (frame) => {
    book.hear(frame);
    knowledge.learn(frame);
    if (frame.type === "agent_start") report.runs += 1;
    if (frame.type === "response") onAnswer(frame);
    const own = random.fork(1_000_000 + frames.count);
    for (const reply of repliesTo(frame, own)) void send(reply, own);
  });
  /** Resolves when a question sent now is answered. */
  const isAlive = async (id: string) => {
    const answered = Promise.withResolvers<void>();
    onAnswer = (frame) => {
      if (frame.id === id) answered.resolve();
    };
    await send({ type: "get_state", id }, random);
    await inTime(answered.promise, `${id}: get_state was not answered`);
  };

  const mark = `${process.pid}-${seed}-${dialect}`;
  const child = startFuzzProcess(
    ["--model", "local/m", "--dialect", dialect, ...Object.entries(SETTINGS).flatMap(toFlag)],
    { ...place, mark },
    { random: random.fork(2), onChunk: (chunk) => frames.push(chunk) },
  );
  try {
    for (let round = 0; round < rounds && performance.now() < until; round += 1) {
      const pauseMs = random.pick(PAUSES_MS);
      for (let count = 10 + random.int(50); count > 0; count -= 1) {
        await sendLine(lines.next(), random);
        if (pauseMs > 0) await Bun.sleep(random.int(pauseMs));
      }
      if (random.chance(0.5)) await send({ type: random.pick(["abort", "abort_bash", "abort_retry"]) }, random);
      await isAlive(`round ${round}`);
      report.rss.push(child.rss());
    }
    const last = '{"type":"get_state","id":"last"}';
    if (random.chance(0.5)) await sendLine(Buffer.from(last.slice(random.int(20))), random, "");
    await written;
    child.endInput();
    const code = await inTime(child.exited, "the process does not end");
    if (code !== 0) report.faults.push(`exit code ${code}`);
  } catch (error) {
    report.faults.push(String(error));
    child.kill();
  }
  await child.exited;
  await inTime(
    eventually(() => family(mark).length === 0),
    "a process stays",
  ).catch(() => report.faults.push(...family(mark).map((one) => `still lives: ${one}`)));
  report.faults.push(...frames.finish(), ...book.finish());
  return { ...report, framesOut: frames.count, bytesOut: frames.bytes, stderr: await child.stderr };
}

const toFlag = ([key, value]: [string, unknown]) => ["--set", `${key}=${value}`];

async function inTime<T>(event: Promise<T>, fault: string): Promise<T> {
  const time = Promise.withResolvers<never>();
  const timer = setTimeout(() => time.reject(new Error(fault)), ALIVE_MS);
  try {
    return await Promise.race([event, time.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function useModel(home: string, baseUrl: string): void {
  mkdirSync(home, { recursive: true });
  const models = [{ id: "m" }, { id: "thinker", reasoning: true }];
  const provider = { baseUrl, api: "openai-completions", auth: "none", models };
  writeFileSync(`${home}/models.json`, JSON.stringify({ providers: { local: provider } }));
}
