import type { TracePlace } from "./trace-headers.ts";

export type AttributeValue = string | number | boolean | readonly string[];
/** Attributes without a value are omitted. */
export type Attributes = Record<string, AttributeValue | undefined>;

export type SpanKind = "internal" | "client" | "server";

export interface SpanEvent {
  name: string;
  timeMs: number;
  attributes: Attributes;
}

/** One operation, from its start to its end. */
export interface Span {
  readonly place: TracePlace;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  endMs: number | undefined;
  attributes: Attributes;
  events: SpanEvent[];
  /** The error, or undefined if it succeeded. */
  error: string | undefined;
}

/** Maximum number of events in a span; more would not help a reader. */
const MAX_EVENTS = 128;

export function addEvent(span: Span, name: string, timeMs: number, attributes: Attributes): void {
  if (span.events.length < MAX_EVENTS) span.events.push({ name, timeMs, attributes });
}
