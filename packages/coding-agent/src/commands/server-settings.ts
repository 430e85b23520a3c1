import type { GatewayOptions } from "@pintle/gateway";
import type { ServerLimits } from "@pintle/wire";
import { complain } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { homeDirectory } from "../config/home-dir.ts";
import type { Environment } from "../config/keys/environment.ts";
import { Settings } from "../config/settings/settings.ts";
import { parseSetFlags } from "../config/settings/settings-flags.ts";
import { StartUpError } from "../config/start-up-error.ts";

/** Returns the settings of a server: the user's, overridden by those of this start. */
export function readServerSettings(set: readonly string[] = [], env: Environment): Settings {
  const settings = Settings.create(process.cwd(), homeDirectory(env), { report: complain });
  const given = parseSetFlags([...set]);
  if ("error" in given) throw new UsageError(given.error);
  settings.applyOverrides(given.overrides);
  if (settings.problems.length > 0) throw new StartUpError(settings.problems.join("\n"));
  return settings;
}

export function readLimits(settings: Settings): ServerLimits {
  return {
    maxConnections: settings.get("serve.maxConnections"),
    maxWorkers: settings.get("serve.maxWorkers"),
    maxFrameBytes: settings.get("serve.maxFrameBytes"),
    maxQueuedBytes: settings.get("serve.maxQueuedBytes"),
    maxInFlight: settings.get("serve.maxInFlight"),
    maxSessionsPerConnection: settings.get("serve.maxSessionsPerConnection"),
  };
}

type EngineOptions = Pick<
  GatewayOptions,
  | "ringFrames"
  | "ringBytes"
  | "idleMs"
  | "hostToolGraceMs"
  | "unresponsiveMs"
  | "drainMs"
  | "prewarm"
  | "workerMemoryBytes"
  | "workerCpuSeconds"
>;

/** Returns the limits for engines and for their stored frames. */
export function readEngineOptions(settings: Settings, limits: ServerLimits): EngineOptions {
  return {
    ringFrames: settings.get("serve.ringFrames"),
    ringBytes: Math.min(settings.get("serve.ringBytes"), limits.maxQueuedBytes),
    idleMs: settings.get("serve.idleMs"),
    hostToolGraceMs: settings.get("serve.hostToolGraceMs"),
    unresponsiveMs: settings.get("serve.unresponsiveMs"),
    drainMs: settings.get("serve.drainMs"),
    prewarm: settings.get("serve.prewarm"),
    workerMemoryBytes: settings.get("serve.workerMemoryMb") * 1024 * 1024 || undefined,
    workerCpuSeconds: settings.get("serve.workerCpuSeconds") || undefined,
  };
}
