import { Host } from "../host.ts";
import { atMostFloor, type Row } from "../row.ts";
import { pssMb } from "../usage.ts";

const IDLE_MS = 300;

export const start: Row = {
  name: "start",
  title: "Start",
  rounds: 7,
  metrics: {
    ms: { title: "start to first answer", unit: "ms", goals: atMostFloor(3, "pintle full") },
    pss: { title: "idle memory (PSS)", unit: "MB", goals: atMostFloor(2, "pintle full") },
  },
  async measure(subject) {
    const started = performance.now();
    await using host = new Host(subject);
    const ms = (await host.call("get_state")) - started;
    await Bun.sleep(IDLE_MS);
    return { ms, pss: pssMb(host.pid) };
  },
};
