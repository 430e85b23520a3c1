import { isAbsolute } from "node:path";
import { nearNames } from "@pintle/agent";
import { errorText, isRecord } from "@pintle/ai";
import { type PermissionRule, REQUEST_KINDS } from "@pintle/wire";
import { parseArgvPattern } from "./argv-pattern.ts";

const EFFECTS = ["allow", "ask", "deny"] as const;
const FIELDS = ["effect", "kind", "tool", "path", "command", "origin", "project"];
const MAX_RULES = 1000;
const MAX_TEXT = 4096;

/** Reads rules from a host, a file or a setting. Throws an error that names the first invalid rule; it never skips one. */
export function readRules(input: unknown): PermissionRule[] {
  if (!Array.isArray(input)) throw new Error("rules must be a list");
  if (input.length > MAX_RULES) throw new Error(`there are more than ${MAX_RULES} rules`);
  return input.map((rule, index) => readRule(rule, `rule ${index + 1}`));
}

function readRule(input: unknown, where: string): PermissionRule {
  if (!isRecord(input)) throw new Error(`${where} must be an object`);
  const unknown = Object.keys(input).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw new Error(`${where} has the unknown field ${unknown.slice(0, 40)}${meant(unknown)}`);
  const effect = oneOf(EFFECTS, input.effect);
  if (effect === undefined) throw new Error(`${where}: effect must be ${EFFECTS.join(", ")}`);
  const kind = oneOf(REQUEST_KINDS, input.kind);
  if (input.kind !== undefined && !kind) throw new Error(`${where}: kind must be ${REQUEST_KINDS.join(", ")}`);
  const text = (field: "tool" | "path" | "command" | "origin" | "project") =>
    readText(input[field], `${where}: ${field}`);
  const [tool, path, command, origin] = [text("tool"), text("path"), text("command"), text("origin")];
  const project = text("project");
  if (project !== undefined && !isAbsolute(project)) throw new Error(`${where}: project must be an absolute path`);
  if (command !== undefined) checkPattern(command, where);
  if (path !== undefined) checkGlob(path, where);
  return {
    effect,
    ...(tool !== undefined && { tool }),
    ...(kind !== undefined && { kind }),
    ...(path !== undefined && { path }),
    ...(command !== undefined && { command }),
    ...(origin !== undefined && { origin }),
    ...(project !== undefined && { project }),
  };
}

function meant(unknown: string): string {
  const [near] = nearNames(unknown.slice(0, 40), FIELDS);
  return near === undefined ? "" : `; did you mean ${near}?`;
}

function oneOf<const W extends string>(words: readonly W[], value: unknown): W | undefined {
  return words.find((word) => word === value);
}

function readText(value: unknown, where: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === "string" && value !== "" && value.length <= MAX_TEXT) return value;
  throw new Error(`${where} must be a string of 1 to ${MAX_TEXT} characters`);
}

function checkPattern(pattern: string, where: string): void {
  try {
    parseArgvPattern(pattern);
  } catch (error) {
    throw new Error(`${where}: ${errorText(error)}`);
  }
}

const MAX_WILDCARDS = 20;

/** Rejects a glob that can match nothing, because it would forbid nothing, and one with so many wildcards that it is slow. */
function checkGlob(glob: string, where: string): void {
  const active = glob.replace(/\\./gsu, "");
  const isBalanced = (open: string, close: string) => active.split(open).length === active.split(close).length;
  if (!isBalanced("[", "]") || !isBalanced("{", "}")) throw new Error(`${where}: path has an open bracket`);
  if (active.includes("\0")) throw new Error(`${where}: path has a character that paths cannot contain`);
  if ((active.match(/[*?{]/g)?.length ?? 0) > MAX_WILDCARDS)
    throw new Error(`${where}: path has more than ${MAX_WILDCARDS} wildcards`);
}
