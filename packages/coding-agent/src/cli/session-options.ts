import type { CreateAgentSessionOptions } from "../sdk/options.ts";
import type { FlagValues, StartFacts } from "./flag-table.ts";
import { FLAGS, type Given, presetOf } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

/** Flags that each name a session. */
const SESSION_NAMES = ["session", "resume", "continue", "session-id", "fork"] as const;

/** Returns the options that the given flags set. */
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
  // With a copy, the other flag names the new session. Any other pair names two sessions.
  if (named.length > 1 && named.join() !== "session-id,fork") {
    throw new UsageError(`--${named.join(" and --")} cannot be used together`);
  }
}

/** Refuses different presets in the two flags, so that neither can widen the other. */
export function requireOnePreset({ permissions, "approval-mode": mode }: Given): void {
  if (permissions === undefined || mode === undefined || presetOf(mode) === permissions) return;
  throw new UsageError(
    `--permissions ${permissions} and --approval-mode ${mode} (${presetOf(mode)}) name different presets`,
  );
}
