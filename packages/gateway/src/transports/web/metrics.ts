import type { ServerState } from "@pintle/wire";
import type { StoreFigures } from "../../cluster/store-figures.ts";
import type { ConnectionFigures } from "../../connections/connections.ts";

export const METRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

export interface MetricsSource {
  state: ServerState;
  connections: ConnectionFigures;
  authFailures: number;
  /** Undefined without a database. */
  store?: StoreFigures | undefined;
}

type Sample = number | { label: string; values: Record<string, number> } | { count: number; sum: number };

interface Metric {
  name: string;
  type: "gauge" | "counter" | "summary";
  unit?: "bytes" | "seconds";
  help: string;
  /** Returns one sample, one per value of a label, or count and sum; undefined if there is nothing to report. */
  read(source: MetricsSource): Sample | undefined;
}

/** A row per metric. The names are a public interface for monitoring. */
const METRICS: readonly Metric[] = [
  {
    name: "pintle_connections",
    type: "gauge",
    help: "Hosts that are connected.",
    read: ({ connections }) => ({ label: "transport", values: connections.open }),
  },
  {
    name: "pintle_connections_accepted",
    type: "counter",
    help: "Connections that were accepted.",
    read: ({ connections }) => connections.accepted,
  },
  {
    name: "pintle_connections_refused",
    type: "counter",
    help: "Connections that were refused because there were too many.",
    read: ({ connections }) => connections.refused,
  },
  {
    name: "pintle_connections_lagged",
    type: "counter",
    help: "Connections that were dropped because the host did not read.",
    read: ({ connections }) => connections.lagged,
  },
  {
    name: "pintle_auth_failures",
    type: "counter",
    help: "Requests without the right token.",
    read: ({ authFailures }) => authFailures,
  },
  {
    name: "pintle_frames_received",
    type: "counter",
    help: "Frames from hosts.",
    read: ({ connections }) => connections.framesIn,
  },
  {
    name: "pintle_frames_sent",
    type: "counter",
    help: "Frames to hosts; merged ones count once.",
    read: ({ connections }) => connections.framesOut,
  },
  {
    name: "pintle_queued_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Bytes that hosts have not read.",
    read: ({ connections }) => connections.queuedBytes,
  },
  { name: "pintle_workers", type: "gauge", help: "Engine processes.", read: ({ state }) => state.workers },
  {
    name: "pintle_sessions",
    type: "gauge",
    help: "Open sessions.",
    read: ({ state }) => ({ label: "status", values: state.sessions }),
  },
  {
    name: "pintle_commands_in_flight",
    type: "gauge",
    help: "Commands without a response.",
    read: ({ state }) => state.load.inFlight,
  },
  {
    name: "pintle_resident_memory_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Memory of the gateway alone.",
    read: ({ state }) => state.load.rssBytes,
  },
  {
    name: "pintle_uptime_seconds",
    type: "gauge",
    unit: "seconds",
    help: "Time since the start.",
    read: ({ state }) => state.uptimeMs / 1000,
  },
  {
    name: "pintle_draining",
    type: "gauge",
    help: "1 while the server is shutting down.",
    read: ({ state }) => Number(state.isDraining),
  },
  {
    name: "pintle_jobs",
    type: "gauge",
    help: "Jobs of all nodes that wait, run, or used up their attempts.",
    read: ({ store }) => store?.jobs && { label: "status", values: store.jobs },
  },
  {
    name: "pintle_jobs_oldest_wait_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How long the oldest waiting job of all nodes has waited.",
    read: ({ store }) => store?.oldestWaitSeconds,
  },
  {
    name: "pintle_takeovers",
    type: "counter",
    help: "Sessions that this node took over from a node that was lost or that left during a run.",
    read: ({ store }) => store?.takeovers,
  },
  {
    name: "pintle_store_commit_seconds",
    type: "summary",
    unit: "seconds",
    help: "Time from an engine's report to its commit, including retries.",
    read: ({ store }) => store && { count: store.commits, sum: store.commitSeconds },
  },
];

/** Renders the metrics as OpenMetrics text. */
export function metricsText(source: MetricsSource): string {
  return `${METRICS.map((metric) => metricText(metric, source)).join("")}# EOF\n`;
}

function metricText({ name, type, unit, help, read }: Metric, source: MetricsSource): string {
  const found = read(source);
  if (found === undefined) return "";
  const samples = samplesOf(type === "counter" ? `${name}_total` : name, found);
  const about = [`# TYPE ${name} ${type}`, ...(unit ? [`# UNIT ${name} ${unit}`] : []), `# HELP ${name} ${help}`];
  return `${[...about, ...samples].join("\n")}\n`;
}

function samplesOf(sample: string, found: Sample): string[] {
  if (typeof found === "number") return [`${sample} ${found}`];
  if ("count" in found) return [`${sample}_count ${found.count}`, `${sample}_sum ${found.sum}`];
  return Object.entries(found.values).map(([value, count]) => `${sample}{${found.label}="${value}"} ${count}`);
}
