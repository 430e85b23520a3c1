import type { Telemetry } from "../otlp/telemetry.ts";
import type { Attributes, Span, SpanKind } from "../span.ts";
import type { TracePlace } from "../trace-headers.ts";
import type { TraceSettings } from "../trace-settings.ts";

export interface SpanMakerParts {
  telemetry: Pick<Telemetry, "addSpan">;
  sampler: TraceSettings["sampler"];
  now(): number;
}

export interface SpanStart {
  name: string;
  kind?: SpanKind;
  parent: TracePlace | undefined;
  attributes: Attributes;
}

/** Starts spans and passes on finished ones that are sampled. */
export class SpanMaker {
  readonly #parts: SpanMakerParts;

  constructor(parts: SpanMakerParts) {
    this.#parts = parts;
  }

  start({ name, kind = "internal", parent, attributes }: SpanStart): Span {
    return {
      place: this.#place(parent),
      parentId: parent?.spanId,
      name,
      kind,
      startMs: this.#parts.now(),
      endMs: undefined,
      attributes,
      events: [],
      error: undefined,
    };
  }

  /** Only the first call has an effect. */
  end(span: Span, attributes: Attributes = {}, error?: string): void {
    if (span.endMs !== undefined) return;
    span.endMs = this.#parts.now();
    Object.assign(span.attributes, attributes);
    span.error = error;
    if (span.place.isSampled) this.#parts.telemetry.addSpan(span);
  }

  /** A trace is sampled as a whole, by its first span. */
  #place(parent: TracePlace | undefined): TracePlace {
    const spanId = randomId(8);
    if (!parent) {
      const traceId = randomId(16);
      return { traceId, spanId, isSampled: this.#isSampled(traceId) };
    }
    return { ...parent, spanId };
  }

  /** The sampler's decision for a run inside a foreign trace. */
  adopt(parent: TracePlace | undefined): TracePlace | undefined {
    if (!parent || this.#parts.sampler.isParentBased) return parent;
    return { ...parent, isSampled: this.#isSampled(parent.traceId) };
  }

  /** Decides by the id alone, so that programs with the same ratio choose the same traces. */
  #isSampled(traceId: string): boolean {
    return Number.parseInt(traceId.slice(-13), 16) / 2 ** 52 < this.#parts.sampler.ratio;
  }
}

/** Uses the global `crypto`, because loading `node:crypto` costs more than all spans of a run. */
function randomId(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
}
