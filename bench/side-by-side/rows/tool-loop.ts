import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { median } from "../../support/table.ts";
import type { Host } from "../host.ts";
import { text, toolCalls } from "../model-server.ts";
import { atMost, type Bench, openWarmHost, type Row } from "../row.ts";
import type { Subject } from "../subjects.ts";
import { cpuMs } from "../usage.ts";

const TURNS = 20;
const LONG = 300;
/** Turns at either end of a long loop whose median is compared. */
const END = 40;
const PARALLEL = 8;

export const toolLoop: Row = {
  name: "tools",
  title: "Turns with tool calls",
  rounds: 5,
  metrics: {
    turn: { title: "one turn with a tool call (read)", unit: "ms", goals: atMost(2, "pintle full") },
    cpu: { title: "one turn with a tool call (read), CPU", unit: "ms" },
    parallel: { title: `one turn with ${PARALLEL} parallel calls (read)`, unit: "ms" },
    parallelCpu: { title: `one turn with ${PARALLEL} parallel calls (read), CPU`, unit: "ms" },
  },
  async measure(subject, bench) {
    await using host = await openWarmHost(subject, bench, text("warm"));
    await loop(host, subject, bench, { turns: TURNS, calls: PARALLEL });
    const one = await loop(host, subject, bench, { turns: TURNS, calls: 1 });
    const several = await loop(host, subject, bench, { turns: TURNS, calls: PARALLEL });
    return { turn: mean(one.ms), cpu: mean(one.cpu), parallel: mean(several.ms), parallelCpu: mean(several.cpu) };
  },
};

export const longLoop: Row = {
  name: "turns",
  title: `${LONG} turns in one session`,
  rounds: 3,
  metrics: {
    last: { title: `turn ${LONG} of a session`, unit: "ms" },
    lastCpu: { title: `turn ${LONG} of a session, CPU`, unit: "ms" },
    growth: { title: `turn ${LONG} against the first`, unit: "", goals: atMost(1.1, "pintle full") },
    growthCpu: { title: `turn ${LONG} against the first, CPU`, unit: "", goals: atMost(1.1, "pintle full") },
  },
  async measure(subject, bench) {
    await using host = await openWarmHost(subject, bench, text("warm"));
    await loop(host, subject, bench, { turns: END, calls: 1 }); // so that the first turns run compiled code, as the last do
    await host.call("new_session");
    const { ms, cpu } = await loop(host, subject, bench, { turns: LONG, calls: 1 });
    const last = median(ms.slice(-END));
    const lastCpu = median(cpu.slice(-END));
    const [first, firstCpu] = [median(ms.slice(0, END)), median(cpu.slice(0, END))];
    return { last, lastCpu, growth: last / first, growthCpu: lastCpu / firstCpu };
  },
};

/** Time and CPU of each turn. The time from one model request to the next is exactly one turn. */
async function loop(
  host: Host,
  { cwd }: Subject,
  { server }: Bench,
  { turns, calls }: { turns: number; calls: number },
) {
  // Programs end a run that repeats a call with the same result.
  const files = Array.from({ length: turns * calls }, (_, n) => join(cwd, `small-${n}.txt`));
  for (const [n, path] of files.entries()) writeFileSync(path, `small file ${n}\n`);
  const cpuAt: number[] = [];
  server.answer = (count) => {
    cpuAt.push(cpuMs(host.pid));
    if (count > turns) return text("done");
    return toolCalls(
      "read",
      files.slice((count - 1) * calls, count * calls).map((path) => ({ path })),
    );
  };
  await host.prompt("read them");
  if (cpuAt.length !== turns + 1) throw new Error(`${cpuAt.length - 1} of ${turns} turns`);
  return { ms: differences(server.requests), cpu: differences(cpuAt) };
}

const differences = (values: readonly number[]) => values.slice(1).map((value, n) => value - values[n]!);
const mean = (values: readonly number[]) => values.reduce((total, value) => total + value, 0) / values.length;
