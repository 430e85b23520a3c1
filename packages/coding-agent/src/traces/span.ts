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

/** One piece of work, from its start to its one end. */
export interface Span {
  readonly place: TracePlace;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  endMs: number | undefined;
  attributes: Attributes;
  events: SpanEvent[];
  /** Why it failed; undefined if it did not. */
  error: string | undefined;
}

/** More events than a reader can use. */
const MAX_EVENTS = 128;

export function addEvent(span: Span, name: string, timeMs: number, attributes: Attributes): void {
  if (span.events.length < MAX_EVENTS) span.events.push({ name, timeMs, attributes });
}
