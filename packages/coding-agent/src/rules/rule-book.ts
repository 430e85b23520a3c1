import { PatternSet } from "./patterns/pattern-set.ts";
import type { Rule } from "./rule.ts";
import { RuleMatcher } from "./rule-matcher.ts";
import type { RuleScope } from "./rule-scope.ts";
import type { WatchedRule } from "./watched-rule.ts";

/** The rule of each pattern, by its index in the set. */
export interface PatternOwner {
  rule: Rule;
  scope: RuleScope;
}

/** The rules that watch the model's output, compiled once for all messages. */
export class RuleBook {
  readonly rules: readonly Rule[];
  readonly owners: readonly PatternOwner[];
  readonly patterns: PatternSet;

  constructor(watched: readonly WatchedRule[]) {
    const watches = watched.flatMap(({ rule, watches: own }) => own.map((watch) => ({ rule, ...watch })));
    this.rules = watched.map(({ rule }) => rule);
    this.owners = watches;
    this.patterns = new PatternSet(watches.map(({ pattern }) => pattern));
  }

  /** Returns a matcher for one assistant message, or undefined if there are no patterns. */
  watch(cwd: string): RuleMatcher | undefined {
    return this.owners.length > 0 ? new RuleMatcher(this, cwd) : undefined;
  }
}
