import { median } from "../../support/table.ts";
import type { Host } from "../host.ts";
import { atLeastFloor, atMost, openHost, type Row } from "../row.ts";
import { cpuMs } from "../usage.ts";

const PIPELINED = 2_000;
const SEQUENTIAL = 1_000;

export const commands: Row = {
  name: "commands",
  title: "Commands",
  rounds: 3,
  metrics: {
    pipelined: { title: "pipelined set_auto_retry", unit: "/s", isRate: true, goals: atLeastFloor(0.5, "pintle full") },
    state: { title: "pipelined get_state", unit: "/s", isRate: true, goals: atLeastFloor(0.5, "pintle full") },
    brief: {
      title: "pipelined get_state, brief",
      unit: "/s",
      isRate: true,
      goals: [
        ...atLeastFloor(0.5, "pintle full"),
        { subject: "pintle full", of: "value", limit: 60_000, isMinimum: true },
      ],
    },
    briefCpu: { title: "1,000 pipelined brief get_state, CPU", unit: "ms" },
    bytes: { title: "bytes of a brief get_state", unit: "", goals: atMost(1_000, "pintle full") },
    lost: { title: "answers lost", unit: "", goals: [{ subject: "pintle full", of: "value", limit: 0 }] },
    p50: { title: "one after the other, each (p50)", unit: "ms", goals: atMost(0.06, "pintle full") },
    p99: { title: "one after the other, each (p99)", unit: "ms", goals: atMost(0.5, "pintle full") },
    cpu: { title: "one after the other, each, CPU", unit: "ms" },
  },
  async measure(subject) {
    await using host = await openHost(subject);
    // Warms up: what is asked is compiled as it is in a host that asks all the time.
    for (const brief of [true, false]) await pipeline(host, "get_state", { brief });
    const light = await pipeline(host, "set_auto_retry", { enabled: true });
    const state = await pipeline(host, "get_state", {});
    const beforeBrief = cpuMs(host.pid);
    const brief = await pipeline(host, "get_state", { brief: true });
    const briefCpu = ((cpuMs(host.pid) - beforeBrief) * 1000) / PIPELINED;
    const times: number[] = [];
    const before = cpuMs(host.pid);
    for (let n = 0; n < SEQUENTIAL; n += 1) {
      const sent = performance.now();
      times.push((await host.call("set_auto_retry", { enabled: true })) - sent);
    }
    return {
      pipelined: light.perSecond,
      state: state.perSecond,
      brief: brief.perSecond,
      briefCpu,
      bytes: brief.bytes,
      lost: light.lost + state.lost + brief.lost,
      p50: median(times),
      p99: times.toSorted((a, b) => a - b)[Math.floor(SEQUENTIAL * 0.99)]!,
      cpu: (cpuMs(host.pid) - before) / SEQUENTIAL,
    };
  },
};

/** All in one write, without waiting for a response. */
async function pipeline(host: Host, type: string, params: object) {
  const ids = Array.from({ length: PIPELINED }, (_, n) => `${type}-${n}`);
  const waiting = new Set(ids);
  const answered = host.until((frame) => {
    if (frame.type === "response") waiting.delete(frame.id);
    return waiting.size === 0;
  });
  const before = host.bytes;
  const sent = performance.now();
  host.write(ids.map((id) => `${JSON.stringify({ id, type, ...params })}\n`).join(""));
  const ended = await Promise.race([answered, Bun.sleep(30_000).then(() => performance.now())]);
  const bytes = Math.round((host.bytes - before) / PIPELINED);
  return { perSecond: (PIPELINED - waiting.size) / ((ended - sent) / 1000), lost: waiting.size, bytes };
}
