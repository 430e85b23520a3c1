// Measures what the loop costs per delta and per turn, and whether that grows. The baseline for deltas is the same
// answer built and read without the loop. A request is built from the whole conversation, so that part of a turn
// necessarily grows; the control is the same run with a conversation that is kept short.
import { Agent, createSystemClock, type Tool } from "@pintle/agent";
import { AssistantEventStream, type StreamModel } from "@pintle/ai";
import { scriptedModelInfo } from "@pintle/ai/testing";
import { MessageBuilder } from "../packages/ai/src/message-builder.ts";
import { median, printTable } from "./support/table.ts";

const DELTAS = [1_000, 4_000, 16_000, 64_000];
const DELTA = "ten chars ";
const TURNS = 1_000;
const PLACES = [50, 250, 500, 750, 950];
const ROUNDS = 7;

type Say = (out: MessageBuilder) => void;

const sayText =
  (deltas: number): Say =>
  (out) => {
    const index = out.startText();
    for (let n = 0; n < deltas; n += 1) out.append(index, DELTA);
    out.finish("stop");
  };

const sayCall =
  (deltas: number): Say =>
  (out) => {
    const index = out.startToolCall({ id: "c", name: "unknown" });
    out.append(index, '{"content":"');
    for (let n = 0; n < deltas; n += 1) out.append(index, DELTA);
    out.append(index, '"}');
    out.finish("length"); // so that it is answered without running
  };

const echo: Tool = {
  name: "echo",
  label: "Echo",
  description: "Says it again",
  parameters: { type: "object", properties: { n: { type: "number" } } } as Tool["parameters"],
  execute: async () => ({ content: [{ type: "text", text: "done" }] }),
};

/**
 * A model that gives these answers, one per request. The builder gets no context, because its search for used ids is
 * not part of the loop.
 */
function model(answers: readonly Say[], onRequest: () => void = () => {}): StreamModel {
  let count = 0;
  return (info, _context, options) => {
    onRequest();
    const stream = new AssistantEventStream();
    answers[count]?.(new MessageBuilder(stream, info, { now: options?.now ?? Date.now }));
    count += 1;
    return stream;
  };
}

interface Watch {
  onSetup?(agent: Agent): void;
  onTurnEnd?(): void;
}

function agentOn(stream: StreamModel, { onSetup, onTurnEnd }: Watch = {}): Agent {
  const agent: Agent = new Agent({
    stream,
    setup: () => {
      onSetup?.(agent);
      return { model: scriptedModelInfo, tools: [echo] };
    },
    emit: ({ type }) => {
      if (type === "turn_end") onTurnEnd?.();
    },
    interruptMode: () => "wait",
    limits: () => ({ maxTurns: 0, abortGraceMs: 5_000 }),
    clock: createSystemClock(),
  });
  return agent;
}

async function time(job: () => unknown): Promise<number> {
  Bun.gc(true);
  const start = performance.now();
  await job();
  return performance.now() - start;
}

function readAlone(say: Say): number {
  const stream = new AssistantEventStream();
  say(new MessageBuilder(stream, scriptedModelInfo, { now: Date.now }));
  let count = 0;
  while (stream.take()) count += 1;
  return count;
}

const prompt = () => ({ role: "user" as const, content: "go", timestamp: 1 });

async function benchDeltas(kind: string, say: (deltas: number) => Say): Promise<void> {
  const rows: number[][] = [];
  for (const deltas of [...DELTAS.slice(0, 2), ...DELTAS]) {
    const alone: number[] = [];
    const loop: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(await time(() => readAlone(say(deltas))));
      loop.push(await time(() => agentOn(model([say(deltas), sayText(1)])).prompt([prompt()])));
    }
    rows.push([deltas, (median(alone) / deltas) * 1e6, (median(loop) / deltas) * 1e6]);
  }
  const measured = rows.slice(2); // the first two warm up
  const first = measured[0]?.[2] ?? 1;
  console.log(`\n${kind}, ${DELTA.length} characters per delta`);
  printTable([
    ["deltas", "baseline ns/delta", "loop ns/delta", "loop/baseline", `against ${DELTAS[0]} deltas`],
    ...measured.map(([deltas = 0, alone = 0, loop = 0]) => [
      deltas,
      alone.toFixed(0),
      loop.toFixed(0),
      (loop / alone).toFixed(2),
      (loop / first).toFixed(2),
    ]),
  ]);
}

/** Microseconds of each turn of one run, and of building its request. */
async function timeTurns(conversation: "whole" | "short"): Promise<{ turn: number; building: number }[]> {
  const answers = Array.from(
    { length: TURNS },
    (_, n): Say =>
      (out) => {
        const index = out.startToolCall({ id: `c${n}`, name: "echo" });
        out.append(index, `{"n":${n}}`);
        out.finish("toolUse");
      },
  );
  const times: { turn: number; building: number }[] = [];
  let lastEnd = 0;
  let setupAt = 0;
  let building = 0;
  const stream = model([...answers, sayText(1)], () => {
    building = performance.now() - setupAt;
  });
  const agent = agentOn(stream, {
    onSetup: () => {
      if (conversation === "short") agent.replaceMessages(agent.messages.slice(-4));
      setupAt = performance.now();
    },
    onTurnEnd: () => {
      const now = performance.now();
      times.push({ turn: (now - lastEnd) * 1000, building: building * 1000 });
      lastEnd = now;
    },
  });
  Bun.gc(true);
  lastEnd = performance.now();
  await agent.prompt([prompt()]);
  return times;
}

async function benchTurns(): Promise<void> {
  const whole: { turn: number; building: number }[][] = [];
  const short: { turn: number; building: number }[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    short.push(await timeTurns("short"));
    whole.push(await timeTurns("whole"));
  }
  const around = (runs: typeof whole, place: number, value: (time: { turn: number; building: number }) => number) =>
    median(runs.flatMap((run) => run.slice(place - 40, place + 40).map(value)));
  const first = around(short, PLACES[0] ?? 0, ({ turn }) => turn);
  console.log(`\n${TURNS} turns of one tool call in one run`);
  printTable([
    [
      "turn",
      "whole conversation µs",
      "building the request µs",
      "short conversation µs",
      `short against turn ${PLACES[0]}`,
    ],
    ...PLACES.map((place) => [
      place,
      around(whole, place, ({ turn }) => turn).toFixed(0),
      around(whole, place, ({ building }) => building).toFixed(0),
      around(short, place, ({ turn }) => turn).toFixed(0),
      (around(short, place, ({ turn }) => turn) / first).toFixed(2),
    ]),
  ]);
}

await benchDeltas("Text", sayText);
await benchDeltas("Arguments of a call", sayCall);
await benchTurns();
