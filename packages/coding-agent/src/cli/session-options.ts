import type { CreateAgentSessionOptions } from "../sdk/options.ts";
import type { FlagValues, StartFacts } from "./flag-table.ts";
import { FLAGS, type Given, presetOf } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

/** Flags of which each names a session. */
const SESSION_NAMES = ["session", "resume", "continue", "session-id", "fork"] as const;

/** What the given flags set, each row its part. */
export function sessionOptions(given: Given, start: StartFacts): CreateAgentSessionOptions {
  requireOneSession(given);
  requireOnePreset(given);
  const options: Record<string, unknown> = {};
  for (const name of Object.keys(FLAGS) as (keyof typeof FLAGS)[]) {
    const value = given[name];
    if (value === undefined) continue;
    const flag = FLAGS[name] as { option?(value: FlagValues[keyof FlagValues], start: StartFacts): object };
    for (const [key, part] of Object.entries(flag.option?.(value, start) ?? {})) {
      options[key] = isGroup(part) ? { ...(isGroup(options[key]) && options[key]), ...part } : part;
    }
  }
  return options;
}

function isGroup(part: unknown): part is object {
  return typeof part === "object" && !Array.isArray(part);
}

function requireOneSession(given: Given): void {
  const named = SESSION_NAMES.filter((name) => given[name] !== undefined);
  // The id of a copy may be chosen; anything else names two sessions.
  if (named.length > 1 && named.join() !== "session-id,fork") {
    throw new UsageError(`--${named.join(" and --")} cannot be used together`);
  }
}

/** Two flags name the preset. Neither may widen what the other allows. */
export function requireOnePreset({ permissions, "approval-mode": mode }: Given): void {
  if (permissions === undefined || mode === undefined || presetOf(mode) === permissions) return;
  throw new UsageError(
    `--permissions ${permissions} and --approval-mode ${mode} (${presetOf(mode)}) name different presets`,
  );
}
