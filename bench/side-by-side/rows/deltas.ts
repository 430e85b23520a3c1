import { burst, paced } from "../model-server.ts";
import { atMost, atMostFloor, type Bench, type Figures, type Metric, openWarmHost, type Row } from "../row.ts";
import type { Subject } from "../subjects.ts";
import { cpuMs, peakMb, resetPeak } from "../usage.ts";

const SIZES = [1_000, 4_000, 16_000];
const MB = 1e6;

const sizeName = (size: number) => `${size / 1000}k`;

/** By size; goals apply to the largest. */
function burstMetrics(): Record<string, Metric> {
  const metrics: Record<string, Metric> = {};
  for (const size of SIZES) {
    const name = sizeName(size);
    const isLargest = size === SIZES.at(-1);
    const goals = isLargest ? { goals: atMostFloor(2, "pintle delta") } : {};
    metrics[`wall${size}`] = { title: `${name} deltas, wall`, unit: "ms", ...goals };
    metrics[`cpu${size}`] = { title: `${name} deltas, CPU`, unit: "ms", ...goals };
    metrics[`out${size}`] = {
      title: `${name} deltas, output`,
      unit: "MB",
      ...(isLargest && { goals: atMost(20, "pintle full") }),
    };
    metrics[`peak${size}`] = { title: `${name} deltas, peak memory`, unit: "MB" };
  }
  metrics.growth = {
    title: "growth of wall, 4k to 16k (exponent)",
    unit: "",
    goals: atMost(1.05, "pintle delta", "pintle full"),
  };
  return metrics;
}

export const deltas: Row = {
  name: "deltas",
  title: "Deltas as fast as the socket gives",
  rounds: 3,
  isModal: true,
  metrics: burstMetrics(),
  async measure(subject, bench) {
    const figures: Figures = {};
    for (const size of SIZES) {
      const { wall, cpu, out, peak } = await streamOnce(subject, bench, burst(size));
      Object.assign(figures, {
        [`wall${size}`]: wall,
        [`cpu${size}`]: cpu,
        [`out${size}`]: out,
        [`peak${size}`]: peak,
      });
    }
    const [, middle = 0, large = 0] = SIZES;
    figures.growth = Math.log(figures[`wall${large}`]! / figures[`wall${middle}`]!) / Math.log(large / middle);
    return figures;
  },
};

export const pace: Row = {
  name: "pace",
  title: "2,000 deltas at 400/s",
  rounds: 3,
  isModal: true,
  metrics: {
    wall: { title: "2,000 at 400/s, wall", unit: "ms" },
    cpu: { title: "2,000 at 400/s, CPU", unit: "ms", goals: atMostFloor(1.3, "pintle delta", "pintle full") },
    out: {
      title: "2,000 at 400/s, output",
      unit: "MB",
      goals: [...atMost(0.5, "pintle full"), ...atMost(0.25, "pintle delta")],
    },
    peak: { title: "2,000 at 400/s, peak memory", unit: "MB" },
  },
  measure: (subject, bench) => streamOnce(subject, bench, () => paced(2_000, 400)),
};

async function streamOnce(subject: Subject, bench: Bench, answer: string | (() => ReadableStream)) {
  await using host = await openWarmHost(subject, bench, burst(50));
  bench.server.answer = typeof answer === "string" ? () => answer : answer;
  resetPeak(host.pid);
  const before = { bytes: host.bytes, cpu: cpuMs(host.pid), at: performance.now() };
  const ended = await host.prompt("go");
  return {
    wall: ended - before.at,
    cpu: cpuMs(host.pid) - before.cpu,
    out: (host.bytes - before.bytes) / MB,
    peak: peakMb(host.pid),
  };
}
