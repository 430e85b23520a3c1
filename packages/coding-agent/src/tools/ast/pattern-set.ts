import type { AstEngine, NapiConfig, SgNode } from "../../native/ast-engine.ts";
import type { Language } from "./languages.ts";
import { type Compiled, compilePattern } from "./patterns.ts";

/** The patterns of one scan in every language that it meets, and what can be said about them afterwards. */
export class PatternSet {
  readonly #engine: AstEngine;
  readonly #patterns: readonly string[];
  readonly #sel: string | undefined;
  readonly #byLanguage = new Map<string, readonly Compiled[]>();
  readonly #found: number[];

  constructor(engine: AstEngine, patterns: readonly string[], sel: string | undefined) {
    this.#engine = engine;
    this.#patterns = patterns;
    this.#sel = sel;
    this.#found = patterns.map(() => 0);
  }

  isUsableIn(language: Language): boolean {
    return this.#compiled(language).some((compiled) => "matcher" in compiled);
  }

  /** undefined: the pattern means nothing in this language. */
  matchersFor(language: Language): (NapiConfig | undefined)[] {
    return this.#compiled(language).map((compiled) => ("matcher" in compiled ? compiled.matcher : undefined));
  }

  count(matches: readonly (readonly SgNode[])[]): void {
    for (const [index, { length }] of matches.entries()) this.#found[index] = (this.#found[index] ?? 0) + length;
  }

  /** A pattern is at fault when it works in none of the languages, or is doubtful in all of them and has found nothing. */
  issues(): { pattern: string; reason: string }[] {
    return this.#patterns.flatMap((pattern, index) => {
      const everywhere = [...this.#byLanguage.values()].map((list) => list[index]!);
      const reasons = everywhere.map((compiled) => ("failure" in compiled ? compiled.failure : compiled.doubt));
      const [reason] = reasons;
      const isAtFault = this.#found[index] === 0 && reasons.every((text) => text !== undefined);
      return reason !== undefined && isAtFault ? [{ pattern, reason }] : [];
    });
  }

  #compiled(language: Language): readonly Compiled[] {
    let compiled = this.#byLanguage.get(language.name);
    if (!compiled) {
      compiled = this.#patterns.map((pattern) => compilePattern(this.#engine, language, pattern, this.#sel));
      this.#byLanguage.set(language.name, compiled);
    }
    return compiled;
  }
}
