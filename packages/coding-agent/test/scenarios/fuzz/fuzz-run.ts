import { mkdirSync, writeFileSync } from "node:fs";
import type { Dialect } from "../../../src/modes/rpc/dialect.ts";
import { machine } from "../support/stored-sessions.ts";
import { eventually } from "../../processes/living-processes.ts";
import { AnswerBook } from "./answer-book.ts";
import { expectedAnswer } from "./expected-answer.ts";
import { FrameStream } from "./frame-stream.ts";
import { startFuzzModel } from "./fuzz-model.ts";
import { family, startFuzzProcess } from "./fuzz-process.ts";
import { repliesTo, strayReply } from "./host-replies.ts";
import { illegalLine, wrongFields } from "./illegal-lines.ts";
import { Knowledge } from "./knowledge.ts";
import { legalCommand } from "./legal-frames.ts";
import { type Random, randomOf } from "./random.ts";

export interface FuzzOptions {
  seed: number;
  rounds: number;
  dialect: Dialect;
  /** No more rounds after this moment of `performance.now()`. */
  until?: number;
}

export interface FuzzReport {
  faults: string[];
  linesIn: number;
  framesOut: number;
  bytesIn: number;
  bytesOut: number;
  runs: number;
  /** After each round, in MiB. */
  rss: number[];
  stderr: string;
}

/** Longer than every limit the program has. */
const ALIVE_MS = 30_000;

/** Between two lines; hosts pipeline, and hosts wait. */
const PAUSES_MS = [0, 0, 5, 50];

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

/** One process from its start to its end. What is sent follows from the seed alone; what comes back also from the clock. */
export async function fuzz({ seed, rounds, dialect, until = Number.POSITIVE_INFINITY }: FuzzOptions): Promise<FuzzReport> {
  const random = randomOf(seed);
  using place = machine();
  await using server = await startFuzzModel(random.fork(1));
  useModel(place.env.PINTLE_HOME as string, server.url);
  const book = new AnswerBook(dialect);
  const knowledge = new Knowledge();
  const answered = new Map<string, () => void>();
  const report: FuzzReport = { faults: [], linesIn: 0, framesOut: 0, bytesIn: 0, bytesOut: 0, runs: 0, rss: [], stderr: "" };
  let writing = Promise.resolve();
  const sendLine = (line: Uint8Array, chunks: Random, end = "\n"): Promise<void> => {
    const expected = expectedAnswer(line);
    if (expected) book.ask(expected);
    report.linesIn += 1;
    report.bytesIn += line.length + 1;
    const bytes = Buffer.concat([line, Buffer.from(end)]);
    writing = writing.then(() => child.write(bytes, chunks));
    return writing;
  };
  const send = (frame: object, chunks: Random) => sendLine(Buffer.from(JSON.stringify(frame)), chunks);

  const frames = new FrameStream(dialect, (frame) => {
    book.hear(frame);
    knowledge.learn(frame);
    if (frame.type === "agent_start") report.runs += 1;
    if (frame.type === "response") answered.get(String(frame.id))?.();
    const own = random.fork(1_000_000 + frames.count);
    for (const reply of repliesTo(frame, own)) void send(reply, own);
  });
  const mark = `${process.pid}-${seed}-${dialect}`;
  const sets = Object.entries(SETTINGS).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const child = startFuzzProcess(
    ["--model", "local/m", "--dialect", dialect, ...sets],
    { ...place, mark },
    { random: random.fork(2), onChunk: (chunk) => frames.push(chunk) },
  );

  let marks = 0;
  const makeMark = () => `#${++marks}#`;
  const makeLine = (): Uint8Array => {
    if (random.chance(0.25)) return illegalLine(random);
    if (random.chance(0.08)) return Buffer.from(JSON.stringify(strayReply(random)));
    const legal = legalCommand({ random, knowledge, mark: makeMark });
    const frame = random.chance(0.1) && legal.type !== "bash" ? wrongFields(legal, random) : legal;
    const id = random.chance(0.9)
      ? { id: `unique ${report.linesIn}` }
      : random.pick([{}, { id: 7 }, { id: null }, { id: { a: 1 } }, { id: "same" }]);
    return Buffer.from(`${JSON.stringify({ ...id, ...frame })}${random.chance(0.05) ? "\r" : ""}`);
  };

  try {
    for (let round = 0; round < rounds && performance.now() < until; round += 1) {
      const pauseMs = random.pick(PAUSES_MS);
      for (let count = 10 + random.int(50); count > 0; count -= 1) {
        await sendLine(makeLine(), random);
        if (pauseMs > 0) await Bun.sleep(random.int(pauseMs));
      }
      if (random.chance(0.5)) await send({ type: random.pick(["abort", "abort_bash", "abort_retry"]) }, random);
      const isAlive = Promise.withResolvers<boolean>();
      answered.set(`alive ${round}`, () => isAlive.resolve(true));
      await send({ type: "get_state", id: `alive ${round}` }, random);
      const isHanging = await isOver(isAlive.promise);
      if (isHanging) throw new Error(`round ${round}: get_state was not answered`);
      report.rss.push(child.rss());
    }
    if (random.chance(0.5)) await sendLine(Buffer.from('{"type":"get_state","id":"unique last"}'.slice(0, 20 + random.int(20))), random, "");
    await writing;
    child.endInput();
    if (await isOver(child.exited)) throw new Error("the process does not end");
    const code = await child.exited;
    if (code !== 0) report.faults.push(`exit code ${code}`);
  } catch (error) {
    report.faults.push(String(error));
    child.kill();
  }
  await child.exited;
  await eventually(() => family(mark).length === 0, 3_000);
  report.faults.push(...frames.finish(), ...book.finish(), ...family(mark).map((one) => `still lives: ${one}`));
  report.stderr = await child.stderr;
  return { ...report, framesOut: frames.count, bytesOut: frames.bytes };
}

/** Whether the time was over first. */
async function isOver(event: Promise<unknown>): Promise<boolean> {
  const time = Promise.withResolvers<true>();
  const timer = setTimeout(time.resolve, ALIVE_MS, true);
  const first = await Promise.race([event.then(() => false), time.promise]);
  clearTimeout(timer);
  return first;
}

function useModel(home: string, baseUrl: string): void {
  mkdirSync(home, { recursive: true });
  const models = [{ id: "m" }, { id: "thinker", reasoning: true }];
  const provider = { baseUrl, api: "openai-completions", auth: "none", models };
  writeFileSync(`${home}/models.json`, JSON.stringify({ providers: { local: provider } }));
}
