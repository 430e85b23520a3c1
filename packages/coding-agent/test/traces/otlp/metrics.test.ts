import { expect, test } from "bun:test";
import { Metrics } from "../../../src/traces/otlp/metrics.ts";

// biome-ignore lint/suspicious/noExplicitAny: histograms and sums as OTLP has them
const read = (metrics: Metrics) => metrics.read() as any[];

test("values fall into buckets, a series per set of attributes", () => {
  const metrics = new Metrics({ isDelta: false, now: () => 5 });
  expect(metrics.isEmpty).toBe(true);
  for (const tokens of [1, 4, 5, 1e9]) metrics.add("gen_ai.client.token.usage", tokens, { kind: "input" });
  metrics.add("gen_ai.client.token.usage", 7, { kind: "output" });
  const [{ histogram, unit }] = read(metrics);
  expect(unit).toBe("{token}");
  const [input, output] = histogram.dataPoints;
  expect(input).toMatchObject({ count: "4", sum: 1e9 + 10, min: 1, max: 1e9 });
  expect(input.explicitBounds.slice(0, 3)).toEqual([1, 4, 16]);
  expect(input.bucketCounts).toHaveLength(input.explicitBounds.length + 1);
  expect(input.bucketCounts.slice(0, 3)).toEqual(["1", "1", "1"]);
  expect(input.bucketCounts.at(-1)).toBe("1");
  expect(output).toMatchObject({ count: "1", sum: 7 });
});

test("cumulative values continue, others restart after they were read", () => {
  for (const isDelta of [false, true]) {
    let time = 0;
    const metrics = new Metrics({ isDelta, now: () => time });
    metrics.add("pintle.cost", 0.5);
    time = 1;
    read(metrics);
    metrics.add("pintle.cost", 0.25);
    time = 2;
    const [{ sum }] = read(metrics);
    expect(sum).toMatchObject({ aggregationTemporality: isDelta ? 1 : 2, isMonotonic: true });
    expect(sum.dataPoints[0]).toMatchObject({
      asDouble: isDelta ? 0.25 : 0.75,
      startTimeUnixNano: isDelta ? "1000000" : "0000000",
    });
  }
});
