import type { ErrorCode } from "@pintle/wire";
import { CommandError } from "../frames/command-error.ts";

/** Resolves the paths in settings. */
export interface SettingsPlace {
  /** Returns the real path of what a host names, relative to the session's directory, or undefined if it is outside the roots. */
  realPathInside(path: string): string | undefined;
}

/**
 * Turns the settings of a host into flags of the session's engine, or returns why the server refuses them. Without a place, paths
 * are not resolved: a job is checked again on the node that runs it.
 */
export type HostSettings = (
  settings: Readonly<Record<string, unknown>>,
  place?: SettingsPlace,
) => { flags: string[] } | { code: ErrorCode; error: string };

/** Allows all settings, for hosts that act for the user; the engine refuses unknown ones. */
export const unboundSettings: HostSettings = (settings) => ({
  flags: Object.entries(settings).map(([key, value]) => `--set=${key}=${settingText(value)}`),
});

/** Returns the flags for the settings of a host. Throws CommandError. */
export function settingFlags(
  read: HostSettings,
  settings: Record<string, unknown> = {},
  place?: SettingsPlace,
): string[] {
  const result = read(settings, place);
  if ("error" in result) throw new CommandError(result.code, result.error);
  return result.flags;
}

/** Returns strings unchanged and everything else as JSON. */
function settingText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
