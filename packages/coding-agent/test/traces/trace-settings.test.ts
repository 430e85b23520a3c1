import { describe, expect, test } from "bun:test";
import { Settings } from "../../src/config/settings/settings.ts";
import { readTraceSettings } from "../../src/traces/trace-settings.ts";

function read(env: Record<string, string>, settings: Record<string, unknown> = {}) {
  const problems: string[] = [];
  const wanted = readTraceSettings(env, Settings.inMemory(settings), (problem) => problems.push(problem));
  return { ...wanted, problems };
}

describe("where traces go", () => {
  test("one address for both, with the paths of the standard", () => {
    const { traces, metrics, problems } = read({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/otlp/" });
    expect([traces?.url, metrics?.url]).toEqual([
      "http://collector:4318/otlp/v1/traces",
      "http://collector:4318/otlp/v1/metrics",
    ]);
    expect(problems).toEqual([]);
  });

  test("an address of its own is taken as it is, and the other signal stays where it was", () => {
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://traces.example/in",
      OTEL_EXPORTER_OTLP_HEADERS: "a=1, b = two%2C2 ,broken",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a=3",
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: "50",
    };
    const { traces, metrics } = read(env, { "traces.endpoint": "http://other", "traces.headers": { c: "4" } });
    expect(traces).toEqual({
      url: "https://traces.example/in",
      headers: { a: "3", b: "two,2", c: "4" },
      timeoutMs: 50,
      isCompressed: false,
    });
    expect(metrics).toMatchObject({ url: "http://other/v1/metrics", headers: { a: "1" }, timeoutMs: 10_000 });
  });

  test("unknown values are reported and stop nothing", () => {
    const { traces, metrics, sampler, maxQueue, problems } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: "file:///etc/passwd",
      OTEL_METRICS_EXPORTER: "prometheus",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
      OTEL_TRACES_SAMPLER: "jaeger_remote",
      OTEL_BSP_MAX_QUEUE_SIZE: "-4",
    });
    expect({ traces, metrics, maxQueue }).toEqual({ traces: undefined, metrics: undefined, maxQueue: 2048 });
    expect(sampler).toEqual({ isParentBased: true, ratio: 1 });
    expect(problems).toHaveLength(5);
  });

  test.each([
    ["always_off", undefined, { isParentBased: false, ratio: 0 }],
    ["parentbased_always_off", undefined, { isParentBased: true, ratio: 0 }],
    ["traceidratio", "0.25", { isParentBased: false, ratio: 0.25 }],
    ["parentbased_traceidratio", "7", { isParentBased: true, ratio: 1 }],
  ])("the sampler %s %s", (name, argument, expected) => {
    const env = { OTEL_TRACES_SAMPLER: name, ...(argument && { OTEL_TRACES_SAMPLER_ARG: argument }) };
    expect(read(env).sampler).toEqual(expected);
  });

  test("the variable decides on contents before the setting", () => {
    const name = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";
    expect(read({}).capturesContent).toBe(false);
    expect(read({}, { "traces.captureContent": true }).capturesContent).toBe(true);
    expect(read({ [name]: "false" }, { "traces.captureContent": true }).capturesContent).toBe(false);
  });
});
