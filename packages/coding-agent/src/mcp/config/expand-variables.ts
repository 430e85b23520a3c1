import type { Environment } from "../../config/keys/environment.ts";

/** Matches `${NAME}` and `${NAME:-text}`. Anything else that looks similar is plain text. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
/** Longer than any argument, header or variable that a system accepts. */
const MAX_LENGTH = 128 * 1024;

/** Describes the mistake without any value, because each may be a key. */
export class ExpansionError extends Error {}

/**
 * As in a shell, the default also applies to an empty variable. Inserted values are not expanded again. `onValue`
 * receives each value with its variable.
 */
export function expandVariables(
  text: string,
  env: Environment,
  onValue: (name: string, value: string) => void = () => {},
): string {
  let expanded = "";
  let end = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [reference, name = "", fallback] = match;
    const value = lookUp(name, fallback, env);
    if (value === env[name]) onValue(name, value);
    expanded += text.slice(end, match.index) + value;
    end = match.index + reference.length;
    if (expanded.length > MAX_LENGTH) break;
  }
  expanded += text.slice(end);
  if (expanded.length > MAX_LENGTH) throw new ExpansionError(`is longer than ${MAX_LENGTH / 1024} KiB`);
  return expanded;
}

function lookUp(name: string, fallback: string | undefined, env: Environment): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (fallback !== undefined) return value || fallback;
  if (value === undefined) throw new ExpansionError(`names the variable ${name.slice(0, 100)}, which is not set`);
  return value;
}
