import type { Attributes, Span } from "../span.ts";
import type { TraceSettings } from "../trace-settings.ts";
import type { MetricName } from "./metrics.ts";
import { Metrics } from "./metrics.ts";
import { metricsRequest, type Sender, tracesRequest } from "./otlp-json.ts";
import { postJson } from "./otlp-post.ts";
import { SpanQueue } from "./span-queue.ts";

/** How long the program waits for each receiver when it exits. */
const CLOSE_MS = 1_500;

export interface TelemetryParts {
  settings: TraceSettings;
  version: string;
  now(): number;
  /** Writes to the log. */
  warn(text: string): void;
}

/**
 * Sends spans and metrics, each to its receiver. Failures of a receiver are reported once and affect nothing else.
 */
export class Telemetry {
  readonly #settings: TraceSettings;
  readonly #sender: Sender;
  readonly #spans: SpanQueue | undefined;
  readonly #metrics: Metrics;
  readonly #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;
  readonly #warn: (text: string) => void;

  constructor({ settings, version, now, warn }: TelemetryParts) {
    this.#settings = settings;
    this.#warn = warn;
    this.#sender = {
      attributes: {
        ...settings.attributes,
        "service.version": version,
        "service.instance.id": crypto.randomUUID(),
        "telemetry.sdk.name": "pintle",
        "telemetry.sdk.language": "nodejs",
        "telemetry.sdk.version": version,
      },
      version,
    };
    const { traces, metrics } = settings;
    this.#spans =
      traces &&
      new SpanQueue({
        maxQueue: settings.maxQueue,
        maxBatch: Math.min(settings.maxBatch, settings.maxQueue),
        delayMs: settings.spanDelayMs,
        post: (spans, signal) => postJson(traces, tracesRequest(spans, this.#sender), signal),
        onFailure: (why) => warn(`traces cannot be sent to ${new URL(traces.url).origin}: ${why}`),
      });
    this.#metrics = new Metrics({ isDelta: settings.isDelta, now });
    if (!metrics) return;
    this.#timer = setInterval(() => void this.#sendMetrics(new AbortController().signal), settings.metricDelayMs); // does not reject
    this.#timer.unref();
  }

  addSpan(span: Span): void {
    this.#spans?.add(span);
  }

  measure(name: MetricName, value: number, attributes?: Attributes): void {
    if (this.#settings.metrics) this.#metrics.add(name, value, attributes);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#spans?.close(CLOSE_MS);
    await this.#sendMetrics(AbortSignal.timeout(CLOSE_MS)); // last, because they report what could not be sent
  }

  async #sendMetrics(signal: AbortSignal): Promise<void> {
    const { metrics } = this.#settings;
    if (!metrics) return;
    const dropped = this.#spans?.takeDropped() ?? 0;
    if (dropped > 0) this.#metrics.add("pintle.traces.dropped", dropped);
    if (this.#metrics.isEmpty) return;
    const end = await postJson(metrics, metricsRequest(this.#metrics.read(), this.#sender), signal);
    if (end.kind !== "sent" && !this.#hasFailed) {
      this.#warn(`metrics cannot be sent to ${new URL(metrics.url).origin}: ${end.why}`);
    }
    this.#hasFailed = end.kind !== "sent";
  }
}
