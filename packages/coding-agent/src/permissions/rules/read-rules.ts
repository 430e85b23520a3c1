import { errorText, isRecord } from "@pintle/ai";
import type { PermissionRule } from "@pintle/wire";
import { parseArgvPattern } from "./argv-pattern.ts";

const WORDS: Readonly<Record<string, readonly string[]>> = {
  effect: ["allow", "ask", "deny"],
  kind: ["read", "write", "execute", "network", "other"],
};
const TEXTS = ["tool", "path", "command", "origin"];
const MAX_RULES = 1000;
const MAX_TEXT = 4096;

/** Rules as a host, a file or a setting gives them. Throws what is wrong with which of them: half a policy is none. */
export function readRules(input: unknown): PermissionRule[] {
  if (!Array.isArray(input)) throw new Error("rules must be a list");
  if (input.length > MAX_RULES) throw new Error(`there are more than ${MAX_RULES} rules`);
  return input.map((rule, index) => readRule(rule, `rule ${index + 1}`));
}

function readRule(input: unknown, where: string): PermissionRule {
  if (!isRecord(input)) throw new Error(`${where} must be an object`);
  const rule: Record<string, string> = {};
  for (const [field, value] of Object.entries(input)) {
    if (value === undefined) continue;
    const words = WORDS[field];
    if (words ? !words.includes(String(value)) : !TEXTS.includes(field)) {
      throw new Error(
        words
          ? `${where}: ${field} must be ${words.join(", ")}`
          : `${where} has the unknown field ${field.slice(0, 40)}`,
      );
    }
    if (typeof value !== "string" || value === "" || value.length > MAX_TEXT) {
      throw new Error(`${where}: ${field} must be a string of 1 to ${MAX_TEXT} characters`);
    }
    rule[field] = value;
  }
  if (rule.effect === undefined) throw new Error(`${where}: effect is missing`);
  if (rule.command !== undefined) checkPattern(rule.command, where);
  return rule as unknown as PermissionRule; // each field was looked at above
}

function checkPattern(pattern: string, where: string): void {
  try {
    parseArgvPattern(pattern);
  } catch (error) {
    throw new Error(`${where}: ${errorText(error)}`);
  }
}
