import type { Environment } from "../config/keys/environment.ts";
import type { Settings } from "../config/settings/settings.ts";

export interface TraceSettings {
  /** Address for spans, or undefined to export none. */
  traces: Destination | undefined;
  metrics: Destination | undefined;
  /** Attributes of the resource. */
  attributes: Record<string, string>;
  sampler: { isParentBased: boolean; ratio: number };
  maxQueue: number;
  maxBatch: number;
  spanDelayMs: number;
  metricDelayMs: number;
  isDelta: boolean;
  /** True to export the masked content of messages and tool calls. */
  capturesContent: boolean;
  maxAttributeChars: number;
}

export interface Destination {
  url: string;
  headers: Record<string, string>;
  timeoutMs: number;
  isCompressed: boolean;
}

/** Longer content costs more than it is worth. */
const MAX_ATTRIBUTE_CHARS = 32_768;

/** Standard OpenTelemetry variables take precedence over the settings. Mistakes in them go to `report`. */
export function readTraceSettings(
  env: Environment,
  settings: Pick<Settings, "get">,
  report: (problem: string) => void,
): TraceSettings {
  const number = (name: string, byDefault: number) => readNumber(env[name], name, byDefault, report);
  return {
    traces: destination("TRACES", "v1/traces", { env, settings, report }),
    metrics: destination("METRICS", "v1/metrics", { env, settings, report }),
    attributes: {
      "service.name": "pintle",
      ...readPairs(env.OTEL_RESOURCE_ATTRIBUTES),
      ...(env.OTEL_SERVICE_NAME && { "service.name": env.OTEL_SERVICE_NAME }),
    },
    sampler: readSampler(env, report),
    maxQueue: number("OTEL_BSP_MAX_QUEUE_SIZE", 2048),
    maxBatch: number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512),
    spanDelayMs: number("OTEL_BSP_SCHEDULE_DELAY", 5000),
    metricDelayMs: number("OTEL_METRIC_EXPORT_INTERVAL", 60_000),
    isDelta: env.OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE?.toLowerCase() === "delta",
    capturesContent:
      env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT === undefined
        ? settings.get("traces.captureContent")
        : env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT.trim().toLowerCase() === "true",
    maxAttributeChars: number("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", MAX_ATTRIBUTE_CHARS),
  };
}

type Signal = "TRACES" | "METRICS";
interface Sources {
  env: Environment;
  settings: Pick<Settings, "get">;
  report(problem: string): void;
}

function destination(signal: Signal, path: string, { env, settings, report }: Sources): Destination | undefined {
  const own = (name: string) => env[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];
  const exporter = env[`OTEL_${signal}_EXPORTER`]?.trim() || "otlp";
  if (exporter === "none") return undefined;
  if (exporter !== "otlp") {
    report(`OTEL_${signal}_EXPORTER: pintle sends over OTLP only; "${exporter}" is ignored, and nothing is sent`);
    return undefined;
  }
  const protocol = own("PROTOCOL");
  if (protocol !== undefined && protocol !== "http/json") {
    report(`OTEL_EXPORTER_OTLP_PROTOCOL: pintle supports only http/json and uses it instead of ${protocol}`);
  }
  const address = env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`];
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT || settings.get("traces.endpoint");
  const wanted = address || (base && `${base.replace(/\/+$/, "")}/${path}`);
  if (!wanted) return undefined;
  const url = URL.canParse(wanted) ? new URL(wanted) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    report(`The address for ${signal.toLowerCase()} is not an http or https address; none are sent`);
    return undefined;
  }
  return {
    url: url.href,
    headers: {
      ...settings.get("traces.headers"),
      ...readPairs(env.OTEL_EXPORTER_OTLP_HEADERS),
      ...readPairs(env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`]),
    },
    timeoutMs: readNumber(own("TIMEOUT"), `OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`, 10_000, report),
    isCompressed: own("COMPRESSION") === "gzip",
  };
}

/** `name=value,name=value`, encoded like a URL. */
function readPairs(text: string | undefined): Record<string, string> {
  const pairs = (text ?? "").split(",").flatMap((pair) => {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    return at > 0 && name !== "" ? [[name, decoded(pair.slice(at + 1).trim())] as const] : [];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a literal percent sign
  }
}

function readNumber(
  text: string | undefined,
  name: string,
  byDefault: number,
  report: (problem: string) => void,
): number {
  if (text === undefined || text.trim() === "") return byDefault;
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  report(`${name} must be a whole number above 0; ${byDefault} is used`);
  return byDefault;
}

const RATIOS: Record<string, number | undefined> = { always_on: 1, always_off: 0, traceidratio: undefined };

function readSampler(env: Environment, report: (problem: string) => void): TraceSettings["sampler"] {
  const name = env.OTEL_TRACES_SAMPLER?.trim() || "parentbased_always_on";
  const own = name.replace(/^parentbased_/, "");
  if (!Object.hasOwn(RATIOS, own)) {
    report(`OTEL_TRACES_SAMPLER: "${name}" is not known; every run is traced`);
    return { isParentBased: true, ratio: 1 };
  }
  const asked = Number(env.OTEL_TRACES_SAMPLER_ARG ?? "1");
  const ratio = RATIOS[own] ?? (asked >= 0 && asked <= 1 ? asked : 1);
  return { isParentBased: own !== name, ratio };
}
