import { median } from "../../support/table.ts";
import type { Host } from "../host.ts";
import { held, text } from "../model-server.ts";
import { atMost, atMostFloor, type Bench, openHost, type Row } from "../row.ts";
import { cpuMs } from "../usage.ts";

const REPEATS = 15;

export const latency: Row = {
  name: "latency",
  title: "Latency",
  rounds: 3,
  isModal: true,
  metrics: {
    cold: { title: "first prompt to model request", unit: "ms" },
    warm: { title: "later prompt to model request", unit: "ms", goals: atMost(1, "pintle delta", "pintle full") },
    delta: { title: "first delta to stdout", unit: "ms", goals: atMostFloor(1.5, "pintle delta", "pintle full") },
    end: {
      title: "last byte of an answer to agent_end",
      unit: "ms",
      goals: atMostFloor(2, "pintle delta", "pintle full"),
    },
    cpu: { title: "one prompt and its answer, CPU", unit: "ms" },
  },
  async measure(subject, bench) {
    await using host = await openHost(subject);
    const cold = await promptToRequest(host, bench);
    const warm: number[] = [];
    const first: number[] = [];
    const last: number[] = [];
    for (let n = 0; n < REPEATS; n += 1) {
      warm.push(await promptToRequest(host, bench));
      const { delta, end } = await deltaToStdout(host, bench);
      first.push(delta);
      last.push(end);
    }
    return { cold, warm: median(warm), delta: median(first), end: median(last), cpu: await cpuOfPrompts(host, bench) };
  },
};

async function promptToRequest(host: Host, { server }: Bench): Promise<number> {
  server.answer = () => text("ok");
  const asked = server.nextRequest();
  const sent = performance.now();
  const ended = host.prompt("hello");
  const ms = (await asked) - sent;
  await ended;
  await quiet(host);
  return ms;
}

async function cpuOfPrompts(host: Host, { server }: Bench): Promise<number> {
  server.answer = () => text("ok");
  const before = cpuMs(host.pid);
  for (let n = 0; n < REPEATS; n += 1) await host.prompt("hello");
  return (cpuMs(host.pid) - before) / REPEATS;
}

async function deltaToStdout(host: Host, { server }: Bench): Promise<{ delta: number; end: number }> {
  const answer = held();
  server.answer = () => answer.body as unknown as string;
  const seen = Promise.withResolvers<number>();
  host.onUpdate = (line) => {
    if (line.includes('"text_delta"')) seen.resolve(performance.now());
  };
  const asked = server.nextRequest();
  const ended = host.prompt("hello");
  await asked;
  await Bun.sleep(20); // the head of the response has arrived and nothing else is happening
  const sent = performance.now();
  answer.release();
  const delta = (await seen.promise) - sent;
  host.onUpdate = undefined;
  const end = (await ended) - (await answer.ended);
  await quiet(host);
  return { delta, end };
}

/** Some programs need a moment after the end of a run before they accept the next prompt. */
async function quiet(host: Host): Promise<void> {
  await host.call("get_state");
  await Bun.sleep(20);
}
