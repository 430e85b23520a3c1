import { isRecord } from "@pintle/ai";
import type { FieldNotes } from "../../config/field-reader.ts";
import type { Environment } from "../../config/keys/environment.ts";
import { ExpansionError, expandVariables } from "./expand-variables.ts";

const EXPANDED = ["command", "args", "env", "cwd", "url", "headers", "oauth", "type"] as const;
/** Where other configuration files of pintle would run a command; `args` may begin with anything. */
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
    notes.errors.push(`${path} begins with "!", but commands are not run for values of servers`);
    return text;
  }
  try {
    const expanded = expandVariables(text, env, (name, secret) => {
      if (SECRET_NAME.test(name)) secrets.add(secret);
    });
    if (expanded.includes("\0")) notes.errors.push(`${path} holds a NUL character`);
    return expanded;
  } catch (error) {
    if (!(error instanceof ExpansionError)) throw error;
    notes.errors.push(`${path} ${error.message}`);
    return text;
  }
}
