import { gunzipSync } from "node:zlib";
import root from "@opentelemetry/otlp-transformer/build/src/generated/root.js";

// Uses OpenTelemetry's own definitions to decide what may be sent: decodes a body into their messages and encodes it
// again.

interface ProtoType {
  fromObject(value: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): object;
}
type Collector = Record<"trace" | "metrics", { v1: Record<string, ProtoType> }>;
const { trace, metrics } = (root as unknown as { opentelemetry: { proto: { collector: Collector } } }).opentelemetry
  .proto.collector;
const TYPES: Record<string, ProtoType> = {
  "/v1/traces": trace.v1.ExportTraceServiceRequest!,
  "/v1/metrics": metrics.v1.ExportMetricsServiceRequest!,
};

const IDS = new Set(["traceId", "spanId", "parentSpanId"]);

/** Throws if the body does not match the definitions exactly. */
function decode(path: string, body: object): Received {
  const type = TYPES[path];
  if (!type) throw new Error(`nothing is expected at ${path}`);
  const message = type.decode(type.encode(type.fromObject(revive(body) as object)).finish());
  const again = type.toObject(message, { longs: String, bytes: Array });
  if (!Bun.deepEquals(withoutDefaults(again), withoutDefaults(body)))
    throw new Error(`not as defined: ${JSON.stringify(body)}\n${JSON.stringify(again)}`);
  return body as Received;
}

function revive(value: unknown, key = ""): unknown {
  if (IDS.has(key)) return Buffer.from(value as string, "hex");
  if (Array.isArray(value)) return value.map((item) => revive(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, revive(item, name)]));
}

/** One side omits empty values and the other may write them. */
function withoutDefaults(value: unknown, key = ""): unknown {
  if (IDS.has(key)) return typeof value === "string" ? value : Buffer.from(value as number[]).toString("hex");
  if (Array.isArray(value)) return value.map((item) => withoutDefaults(item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([, item]) => !(Array.isArray(item) && item.length === 0));
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutDefaults(item, name)]));
}

interface Received {
  resourceSpans?: { resource: { attributes: Pair[] }; scopeSpans: { spans: ReceivedSpan[] }[] }[];
  // biome-ignore lint/suspicious/noExplicitAny: histograms and sums; tests pick what they assert
  resourceMetrics?: { scopeMetrics: { metrics: any[] }[] }[];
}
interface Pair {
  key: string;
  value: Record<string, unknown>;
}
interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Pair[];
  events: { name: string; attributes: Pair[] }[];
  status: { code?: number; message?: string };
}

export interface SeenSpan extends Omit<ReceivedSpan, "attributes" | "events"> {
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
}

export interface Receiver extends Disposable {
  url: string;
  /** Everything received so far, in order of arrival. */
  spans: SeenSpan[];
  // biome-ignore lint/suspicious/noExplicitAny: see above
  metrics: any[];
  requests: { path: string; headers: Record<string, string> }[];
  /** Faults in what was received. */
  faults: string[];
  span(name: string): SeenSpan;
}

/** A real receiver of OTLP over HTTP. `answer` determines its response; by default it accepts everything. */
export function startReceiver(answer: () => Response | Promise<Response> = () => Response.json({})): Receiver {
  const receiver: Omit<Receiver, "url" | "span" | typeof Symbol.dispose> = {
    spans: [],
    metrics: [],
    requests: [],
    faults: [],
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const bytes = Buffer.from(await request.arrayBuffer());
      receiver.requests.push({ path: pathname, headers: Object.fromEntries(request.headers) });
      const said = await answer();
      if (!said.ok) return said;
      try {
        const text = request.headers.get("content-encoding") === "gzip" ? gunzipSync(bytes) : bytes;
        take(decode(pathname, JSON.parse(text.toString("utf8"))), receiver);
      } catch (error) {
        receiver.faults.push(String(error));
      }
      return said;
    },
  });
  return {
    ...receiver,
    url: `http://127.0.0.1:${server.port}`,
    span(name) {
      const found = receiver.spans.find((span) => span.name === name);
      if (!found) throw new Error(`no span ${name} among ${receiver.spans.map((span) => span.name)}`);
      return found;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

function take({ resourceSpans = [], resourceMetrics = [] }: Received, to: Pick<Receiver, "spans" | "metrics">): void {
  for (const { scopeSpans } of resourceSpans) {
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      const events = (span.events ?? []).map((event) => ({ ...event, attributes: toRecord(event.attributes) }));
      to.spans.push({ ...span, attributes: toRecord(span.attributes), events });
    }
  }
  for (const { scopeMetrics } of resourceMetrics) to.metrics.push(...scopeMetrics.flatMap(({ metrics }) => metrics));
}

function toRecord(pairs: readonly Pair[] = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]));
}

function plain(value: Record<string, unknown>): unknown {
  if ("intValue" in value) return Number(value.intValue);
  if ("arrayValue" in value) {
    return (value.arrayValue as { values: Record<string, unknown>[] }).values.map(plain);
  }
  return Object.values(value)[0];
}
