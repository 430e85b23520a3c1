import { flood, text } from "../model-server.ts";
import { atMostFloor, openWarmHost, type Row } from "../row.ts";

const FLOOD_MS = 300;

export const abort: Row = {
  name: "abort",
  title: "Abort in a flood",
  rounds: 5,
  isModal: true,
  metrics: {
    ms: {
      title: "abort in a flood of deltas, to its answer",
      unit: "ms",
      goals: atMostFloor(2, "pintle delta", "pintle full"),
    },
  },
  async measure(subject, bench) {
    await using host = await openWarmHost(subject, bench, text("warm"));
    bench.server.answer = () => flood() as unknown as string;
    await host.call("prompt", { message: "flood" });
    await Bun.sleep(FLOOD_MS);
    const sent = performance.now();
    return { ms: (await host.call("abort")) - sent };
  },
};
