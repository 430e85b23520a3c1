import type { RunTraceParts } from "./open-run-trace.ts";
import { Telemetry } from "./otlp/telemetry.ts";
import { SpanMaker } from "./spans/span-maker.ts";
import { readTraceHeaders, type TraceHeaders, writeTraceHeaders } from "./trace-headers.ts";
import { readTraceSettings } from "./trace-settings.ts";

/** Receives the commands of a gateway. */
export interface GatewayTraces {
  begin(
    command: string,
    about: { sessionId: string; fields: Readonly<Record<string, unknown>> },
  ): { headers: TraceHeaders; end(outcome: string, error?: string): void };
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

const now = () => performance.timeOrigin + performance.now();
const text = (value: unknown) => (typeof value === "string" ? value : undefined);

/** Creates a server's spans, from the receipt of a command to the end of its run. The engine's spans are their children. */
export function gatewayTraces({
  env,
  settings,
  version,
  warn,
}: Omit<RunTraceParts, "sessionId" | "secrets">): GatewayTraces {
  const wanted = readTraceSettings(env, settings, warn);
  const telemetry = new Telemetry({ settings: wanted, version, now, warn });
  const spans = new SpanMaker({ telemetry, sampler: wanted.sampler, now });
  return {
    begin(command, { sessionId, fields }) {
      const [traceparent, tracestate] = [text(fields.traceparent), text(fields.tracestate)];
      const parent = readTraceHeaders({
        ...(traceparent !== undefined && { traceparent }),
        ...(tracestate !== undefined && { tracestate }),
      });
      const span = spans.start({
        name: `gateway ${command}`,
        kind: "server",
        parent: spans.adopt(parent),
        attributes: { "gen_ai.conversation.id": sessionId, "pintle.command": command },
      });
      return {
        headers: writeTraceHeaders(span.place),
        end: (outcome, error) => spans.end(span, { "pintle.outcome": outcome }, error),
      };
    },
    close: () => telemetry.close(),
  };
}
