import type { Attributes } from "../span.ts";
import { encodeAttributes, nanoseconds } from "./otlp-json.ts";

interface Instrument {
  description: string;
  unit: string;
  /** Upper bounds of the buckets of a histogram; undefined for a sum. */
  bounds?: readonly number[];
}

/** Bucket bounds of the semantic conventions: powers of four for tokens, doubling for durations. */
const TOKENS = Array.from({ length: 14 }, (_, index) => 4 ** index);
const SECONDS = Array.from({ length: 14 }, (_, index) => 2 ** index / 100);

export const INSTRUMENTS = {
  "gen_ai.client.token.usage": { description: "Tokens of model calls, by kind.", unit: "{token}", bounds: TOKENS },
  "gen_ai.client.operation.duration": {
    description: "How long runs, model calls and tool calls took.",
    unit: "s",
    bounds: SECONDS,
  },
  "gen_ai.client.operation.time_to_first_chunk": {
    description: "From the request to the first part of the answer.",
    unit: "s",
    bounds: SECONDS,
  },
  "pintle.cost": { description: "What model calls cost, by the price list.", unit: "{USD}" },
  "pintle.traces.dropped": {
    description: "Spans that were dropped because no receiver accepted them.",
    unit: "{span}",
  },
} satisfies Record<string, Instrument>;

export type MetricName = keyof typeof INSTRUMENTS;

interface Series {
  attributes: Attributes;
  count: number;
  sum: number;
  min: number;
  max: number;
  buckets: number[];
}

/** Collects sums and histograms, since the start or the last read, with one series per set of attributes. */
export class Metrics {
  readonly #series = new Map<MetricName, Map<string, Series>>();
  readonly #isDelta: boolean;
  readonly #now: () => number;
  #startMs: number;

  constructor({ isDelta, now }: { isDelta: boolean; now(): number }) {
    this.#isDelta = isDelta;
    this.#now = now;
    this.#startMs = now();
  }

  add(name: MetricName, value: number, attributes: Attributes = {}): void {
    const { bounds }: Instrument = INSTRUMENTS[name];
    const series = this.#find(name, attributes, bounds);
    series.count += 1;
    series.sum += value;
    series.min = Math.min(series.min, value);
    series.max = Math.max(series.max, value);
    if (!bounds) return;
    const place = bounds.findIndex((bound) => value <= bound);
    series.buckets[place === -1 ? bounds.length : place]! += 1;
  }

  get isEmpty(): boolean {
    return this.#series.size === 0;
  }

  /** Returns the metrics in OTLP's format. */
  read(): object[] {
    const timeMs = this.#now();
    const metrics = Array.from(this.#series, ([name, all]) =>
      this.#encode(name, [...all.values()], { startMs: this.#startMs, timeMs }),
    );
    if (this.#isDelta) {
      this.#series.clear();
      this.#startMs = timeMs;
    }
    return metrics;
  }

  #encode(name: MetricName, all: readonly Series[], { startMs, timeMs }: { startMs: number; timeMs: number }): object {
    const { bounds, ...about }: Instrument = INSTRUMENTS[name];
    const aggregationTemporality = this.#isDelta ? 1 : 2;
    const common = ({ attributes }: Series) => ({
      attributes: encodeAttributes(attributes),
      startTimeUnixNano: nanoseconds(startMs),
      timeUnixNano: nanoseconds(timeMs),
    });
    if (!bounds) {
      const dataPoints = all.map((series) => ({ ...common(series), asDouble: series.sum }));
      return { name, ...about, sum: { dataPoints, aggregationTemporality, isMonotonic: true } };
    }
    const dataPoints = all.map((series) => ({
      ...common(series),
      count: String(series.count),
      sum: series.sum,
      min: series.min,
      max: series.max,
      bucketCounts: series.buckets.map(String),
      explicitBounds: bounds,
    }));
    return { name, ...about, histogram: { dataPoints, aggregationTemporality } };
  }

  #find(name: MetricName, attributes: Attributes, bounds: readonly number[] | undefined): Series {
    const all = this.#series.get(name) ?? new Map<string, Series>();
    this.#series.set(name, all);
    const key = JSON.stringify(attributes);
    const known = all.get(key);
    if (known) return known;
    const series: Series = {
      attributes,
      count: 0,
      sum: 0,
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
      buckets: Array.from({ length: bounds ? bounds.length + 1 : 0 }, () => 0),
    };
    all.set(key, series);
    return series;
  }
}
