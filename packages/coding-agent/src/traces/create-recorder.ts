import type { RunTraceParts } from "./open-run-trace.ts";
import { Telemetry } from "./otlp/telemetry.ts";
import type { TraceRecorder } from "./run-trace.ts";
import { ContentAttributes } from "./spans/content.ts";
import { SessionSpans } from "./spans/session-spans.ts";
import { SpanMaker } from "./spans/span-maker.ts";
import { readTraceSettings } from "./trace-settings.ts";

/** The current time with sub-millisecond resolution. */
const now = () => performance.timeOrigin + performance.now();

export function createRecorder({ env, settings, version, sessionId, secrets, warn }: RunTraceParts): TraceRecorder {
  const wanted = readTraceSettings(env, settings, warn);
  const telemetry = new Telemetry({ settings: wanted, version, now, warn });
  const spans = new SpanMaker({ telemetry, sampler: wanted.sampler, now });
  const content = wanted.capturesContent ? new ContentAttributes(secrets, wanted.maxAttributeChars) : undefined;
  return new SessionSpans({ spans, telemetry, content, version, sessionId, now });
}
