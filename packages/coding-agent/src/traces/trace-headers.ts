import type { Environment } from "../config/keys/environment.ts";

/** A W3C trace context. It is passed on so that child processes and requests join the trace. */
export interface TraceHeaders {
  traceparent: string;
  tracestate?: string;
}

/** Trace headers that a tool call passes on. */
export type TraceOf = (toolCallId: string) => TraceHeaders | undefined;

export interface TracePlace {
  traceId: string;
  spanId: string;
  isSampled: boolean;
  state?: string;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Length that every receiver must support. */
const MAX_STATE = 512;

/** Returns undefined for an invalid `traceparent`, because it must not stop the command that carries it. */
export function readTraceHeaders({ traceparent, tracestate }: Partial<TraceHeaders>): TracePlace | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const isState = tracestate !== undefined && tracestate.length <= MAX_STATE && /^[\x20-\x7e]+$/.test(tracestate);
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId, isSampled, ...(isState && { state: tracestate }) };
}

export function writeTraceHeaders({ traceId, spanId, isSampled, state }: TracePlace): TraceHeaders {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
  return { traceparent, ...(state !== undefined && { tracestate: state }) };
}

/** Reads the trace context of the parent process. */
export function environmentTrace({ TRACEPARENT: traceparent, TRACESTATE: tracestate }: Environment) {
  if (traceparent === undefined) return undefined;
  return readTraceHeaders({ traceparent, ...(tracestate !== undefined && { tracestate }) });
}

/** Returns environment variables for a child process. */
export function traceVariables(headers: TraceHeaders | undefined): Record<string, string> {
  if (!headers) return {};
  const { traceparent, tracestate } = headers;
  return { TRACEPARENT: traceparent, ...(tracestate !== undefined && { TRACESTATE: tracestate }) };
}
