import { isRecord } from "@pintle/ai";
import type { FieldNotes } from "../../config/field-reader.ts";
import type { Environment } from "../../config/keys/environment.ts";

const EXPANDED = ["command", "args", "env", "cwd", "url", "headers", "oauth", "type"] as const;
/** Fields whose values, in pintle's other configuration files, run a command if they begin with "!". `args` are literal. */
const NO_COMMANDS: ReadonlySet<string> = new Set(["command", "env", "cwd", "url", "headers", "oauth"]);

const SECRET_NAME = /key|token|secret|pass|auth|cred/i;

interface Expansion {
  env: Environment;
  notes: FieldNotes;
  secrets: Set<string>;
}

/** Returns a copy with variables replaced in its strings. */
export function expandFields(value: Record<string, unknown>, expansion: Expansion): Record<string, unknown> {
  const copy = { ...value };
  for (const field of EXPANDED) {
    const expand = (text: unknown, path: string) => expandText(text, path, { ...expansion, field });
    const member = value[field];
    if (Array.isArray(member)) copy[field] = member.map((item, index) => expand(item, `${field}[${index}]`));
    else if (isRecord(member)) {
      const entries = Object.entries(member).map(([name, item]) => [name, expand(item, `${field}.${name}`)] as const);
      copy[field] = Object.fromEntries(entries);
    } else copy[field] = expand(member, field);
  }
  return copy;
}

function expandText(
  text: unknown,
  path: string,
  { env, field, notes, secrets }: Expansion & { field: string },
): unknown {
  if (typeof text !== "string") return text;
  if (text.startsWith("!") && NO_COMMANDS.has(field)) {
    notes.errors.push(`${path} begins with "!", but pintle runs no commands for the values of MCP servers`);
    return text;
  }
  try {
    const expanded = expandVariables(text, env, (name, secret) => {
      if (SECRET_NAME.test(name)) secrets.add(secret);
    });
    if (expanded.includes("\0")) notes.errors.push(`${path} contains a NUL character`);
    return expanded;
  } catch (error) {
    if (!(error instanceof ExpansionError)) throw error;
    notes.errors.push(`${path} ${error.message}`);
    return text;
  }
}

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
