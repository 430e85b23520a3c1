import { type SettingRows, setting } from "../setting-row.ts";
import { flag, NO_ENTRIES, stringEntries, text } from "../settings-types.ts";

/** Traces and metrics. */
export const TRACES = {
  "traces.endpoint": setting({
    type: text,
    default: undefined,
    project: "never",
    meaning:
      "Address of an OpenTelemetry collector (OTLP over HTTP) for traces and metrics. `OTEL_EXPORTER_OTLP_ENDPOINT` takes precedence. See traces.md.",
  }),
  "traces.headers": setting({
    type: stringEntries,
    default: NO_ENTRIES,
    project: "never",
    meaning: "Headers for requests to `traces.endpoint`, such as a key.",
  }),
  "traces.captureContent": setting({
    type: flag,
    default: false,
    isStrict: true,
    project: "never",
    meaning: "Also send messages and the arguments and results of tools, with secrets masked.",
  }),
} satisfies SettingRows;
