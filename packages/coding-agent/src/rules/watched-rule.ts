import type { Rule } from "./rule.ts";
import { parseScope, type RuleScope } from "./rule-scope.ts";
import { compileSafely, type SafePattern } from "./safe-pattern.ts";

/** A rule that waits for the model to write something. */
export interface WatchedRule {
  rule: Rule;
  patterns: readonly SafePattern[];
  scope: RuleScope;
}

/** undefined when the rule has no condition that can be used. */
export function toWatchedRule(rule: Rule, warn: (text: string) => void): WatchedRule | undefined {
  const say = (text: string) => warn(`${rule.path}: ${text}`);
  const patterns = rule.condition.flatMap((source) => {
    try {
      return [compileSafely(source)];
    } catch (error) {
      say(`the condition ${JSON.stringify(source)} is skipped: ${(error as Error).message}`);
      return [];
    }
  });
  if (patterns.length === 0) return undefined;
  try {
    return { rule, patterns, scope: parseScope(rule.scope, rule.globs, say) };
  } catch (error) {
    say(`the rule is not used: ${(error as Error).message}`);
    return undefined;
  }
}
