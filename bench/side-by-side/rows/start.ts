import { Host } from "../host.ts";
import { atMost, atMostFloor, type Row } from "../row.ts";
import { cpuMs, pssMb } from "../usage.ts";

const IDLE_MS = 300;
const IDLE_SECONDS = 5;
const ENGINES = 50;

export const start: Row = {
  name: "start",
  title: "Start",
  rounds: 7,
  metrics: {
    ms: { title: "start to first answer", unit: "ms", goals: atMostFloor(2, "pintle full") },
    cpu: { title: "start to first answer, CPU", unit: "ms" },
    pss: { title: "idle memory (PSS)", unit: "MB", goals: atMostFloor(1.4, "pintle full") },
  },
  async measure(subject) {
    const started = performance.now();
    await using host = new Host(subject);
    const ms = (await host.call("get_state")) - started;
    const cpu = cpuMs(host.pid);
    await Bun.sleep(IDLE_MS);
    return { ms, cpu, pss: pssMb(host.pid) };
  },
};

/** Idle long enough for everything that follows a start to be over. */
export const idle: Row = {
  name: "idle",
  title: "Idle",
  rounds: 3,
  metrics: { cpu: { title: "CPU while idle, per second", unit: "ms", goals: atMost(0.1, "pintle full") } },
  async measure(subject) {
    await using host = new Host(subject);
    await host.call("get_state");
    return { cpu: await idleCpu([host]) };
  },
};

export const fleet: Row = {
  name: "fleet",
  title: `${ENGINES} engines at once`,
  rounds: 1,
  metrics: {
    ms: { title: `${ENGINES} engines, start until all have answered`, unit: "ms" },
    start: { title: `${ENGINES} engines, CPU of the start of one`, unit: "ms" },
    pss: { title: `${ENGINES} engines, memory of one (PSS)`, unit: "MB" },
    cpu: { title: `${ENGINES} engines, CPU of one while idle, per second`, unit: "ms" },
  },
  async measure(subject) {
    const started = performance.now();
    const hosts = Array.from({ length: ENGINES }, () => new Host(subject));
    const ms = Math.max(...(await Promise.all(hosts.map((host) => host.call("get_state"))))) - started;
    const start = sum(hosts, (host) => cpuMs(host.pid)) / ENGINES;
    const cpu = await idleCpu(hosts);
    return { ms, start, pss: sum(hosts, (host) => pssMb(host.pid)) / ENGINES, cpu };
  },
};

/** CPU of one of them, in ms per second. */
async function idleCpu(hosts: readonly Host[]): Promise<number> {
  await Bun.sleep(1_000);
  const before = sum(hosts, (host) => cpuMs(host.pid));
  await Bun.sleep(IDLE_SECONDS * 1_000);
  return (sum(hosts, (host) => cpuMs(host.pid)) - before) / IDLE_SECONDS / hosts.length;
}

const sum = (hosts: readonly Host[], of: (host: Host) => number) => hosts.reduce((total, host) => total + of(host), 0);
