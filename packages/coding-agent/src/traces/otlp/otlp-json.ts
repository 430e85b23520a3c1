import type { Attributes, AttributeValue, Span, SpanKind } from "../span.ts";

// OTLP in its JSON encoding: ids in hexadecimal, 64-bit numbers as strings, names in camelCase.

export interface Sender {
  /** Attributes of the resource. */
  attributes: Attributes;
  version: string;
}

const SPAN_KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;
const SAMPLED = 1;
/** The semantic conventions that name the attributes. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.45.0";

export function tracesRequest(spans: readonly Span[], sender: Sender): object {
  return { resourceSpans: [{ ...resource(sender), scopeSpans: [{ ...scope(sender), spans: spans.map(encodeSpan) }] }] };
}

export function metricsRequest(metrics: readonly object[], sender: Sender): object {
  return { resourceMetrics: [{ ...resource(sender), scopeMetrics: [{ ...scope(sender), metrics }] }] };
}

export function encodeAttributes(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: encodeValue(value) }],
  );
}

/** Converts milliseconds to nanoseconds. Converts the fraction separately, because a number is not precise enough. */
export function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1_000_000)).padStart(6, "0")}`;
}

function encodeSpan(span: Span): object {
  const { place, parentId, endMs = span.startMs } = span;
  return {
    traceId: place.traceId,
    spanId: place.spanId,
    ...(place.state !== undefined && { traceState: place.state }),
    ...(parentId !== undefined && { parentSpanId: parentId }),
    flags: SAMPLED,
    name: span.name,
    kind: SPAN_KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: encodeAttributes(span.attributes),
    events: span.events.map(({ name, timeMs, attributes }) => ({
      name,
      timeUnixNano: nanoseconds(timeMs),
      attributes: encodeAttributes(attributes),
    })),
    status: span.error === undefined ? {} : { code: STATUS_ERROR, message: span.error },
  };
}

function encodeValue(value: AttributeValue): object {
  if (typeof value === "string") return { stringValue: value.toWellFormed() };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(encodeValue) } };
}

const resource = ({ attributes }: Sender) => ({
  resource: { attributes: encodeAttributes(attributes) },
  schemaUrl: SCHEMA_URL,
});
const scope = ({ version }: Sender) => ({ scope: { name: "pintle", version }, schemaUrl: SCHEMA_URL });
