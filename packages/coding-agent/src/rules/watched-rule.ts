import { errorText } from "@pintle/ai";
import { compileSafely, type SafePattern } from "./patterns/safe-pattern.ts";
import type { Rule } from "./rule.ts";
import { parseScope, type RuleScope } from "./rule-scope.ts";

/** A rule that is triggered by the model's output. */
export interface WatchedRule {
  rule: Rule;
  watches: readonly { pattern: SafePattern; scope: RuleScope }[];
}

const MAX_CONDITIONS = 50;

/** Returns undefined if the rule has no usable condition. */
export function toWatchedRule(rule: Rule, warn: (text: string) => void): WatchedRule | undefined {
  const say = (text: string) => warn(`${rule.path}: ${text}`);
  const watches = rule.watches.flatMap(({ conditions, scope: tokens }) => {
    if (conditions.length > MAX_CONDITIONS) say(`only the first ${MAX_CONDITIONS} conditions are used`);
    const patterns = conditions.slice(0, MAX_CONDITIONS).flatMap((source) => compile(source, say));
    if (patterns.length === 0) return [];
    const scope = parseScope(tokens, rule.globs, say);
    if (!scope) say("its scope matches nothing");
    return scope ? patterns.map((pattern) => ({ pattern, scope })) : [];
  });
  return watches.length > 0 ? { rule, watches } : undefined;
}

function compile(source: string, say: (text: string) => void): SafePattern[] {
  try {
    return [compileSafely(source)];
  } catch (error) {
    say(`the condition ${JSON.stringify(source)} is skipped: ${errorText(error)}`);
    return [];
  }
}
