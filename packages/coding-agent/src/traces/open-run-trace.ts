import type { Environment } from "../config/keys/environment.ts";
import type { Settings } from "../config/settings/settings.ts";
import { RunTrace } from "./run-trace.ts";
import { environmentTrace } from "./trace-headers.ts";

export interface RunTraceParts {
  env: Environment;
  settings: Pick<Settings, "get">;
  version: string;
  sessionId(): string;
  /** Secrets that must not leave the process. */
  secrets(): readonly string[];
  warn(text: string): void;
}

/** Loads the recorder only if a receiver is configured. */
export async function openRunTrace(parts: RunTraceParts): Promise<RunTrace> {
  const inherited = environmentTrace(parts.env);
  if (!isTraced(parts)) return new RunTrace(inherited);
  const { createRecorder } = await import("./create-recorder.ts");
  return new RunTrace(inherited, createRecorder(parts));
}

/** Whether a receiver for spans or metrics is configured. */
export function isTraced({ env, settings }: Pick<RunTraceParts, "env" | "settings">): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  return [
    env.OTEL_EXPORTER_OTLP_ENDPOINT,
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
    settings.get("traces.endpoint"),
  ].some(Boolean);
}
