import { errorText } from "@pintle/ai";
import type { AstEngine, NapiConfig, SgNode } from "@pintle/exec/native";
import type { Language } from "./languages.ts";
import { malformedVariable } from "./metavariables.ts";

/** Far longer than patterns written by hand; bounds the engine's recursion. */
const MAX_PATTERN_LENGTH = 4_000;

/** Throws for mistakes that do not depend on the language. */
export function checkPattern(pattern: string, field: string): void {
  if (pattern.trim() === "") throw new Error(`${field} is empty`);
  if (pattern.length > MAX_PATTERN_LENGTH) {
    throw new Error(`${field} is longer than ${MAX_PATTERN_LENGTH} characters`);
  }
  const malformed = malformedVariable(pattern);
  if (malformed) {
    const name = malformed.slice(2);
    throw new Error(`${field}: ${malformed} is not a variable; use $${name} for one node or $$$${name} for several`);
  }
}

/** A pattern in one language. */
type Compiled = { matcher: NapiConfig; doubt?: string } | { failure: string };

function compilePattern(
  engine: AstEngine,
  { engineName, expandoChar }: Language,
  pattern: string,
  sel?: string,
): Compiled {
  const rule = sel === undefined ? { pattern } : { pattern: { context: pattern, selector: sel } };
  const matcher: NapiConfig = { rule };
  try {
    engine.parse(engineName, "").root().find(matcher);
  } catch (error) {
    return { failure: explain(error) };
  }
  return isComplete(engine, engineName, pattern.replaceAll("$", expandoChar))
    ? { matcher }
    : { matcher, doubt: INCOMPLETE };
}

const INCOMPLETE = "does not parse on its own. Complete it, or put it into valid context and set sel.";

/** Checks only the outermost node, because variables may be where the language allows no names. */
function isComplete(engine: AstEngine, engineName: string, code: string): boolean {
  const root = engine.parse(engineName, code).root();
  return ![root, ...root.children()].some((node) => node.is("ERROR"));
}

export const ERRORS: NapiConfig = { rule: { kind: "ERROR" } };

/** Returns the last part of the engine's message, which contains the reason. */
function explain(error: unknown): string {
  const last = errorText(error).split("|->").at(-1) ?? "";
  const reason = last.replace(/ Please check the pattern source[\s\S]*$/, "").trim();
  return reason.startsWith("Multiple AST nodes") ? `${reason} Wrap it in valid context and set sel.` : reason;
}

/** Compiles the patterns of one scan for each language it meets, and reports the patterns that fail. */
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

  /** Undefined where a pattern is not valid in this language. */
  matchersFor(language: Language): (NapiConfig | undefined)[] {
    return this.#compiled(language).map((compiled) => ("matcher" in compiled ? compiled.matcher : undefined));
  }

  count(matches: readonly (readonly SgNode[])[]): void {
    for (const [index, { length }] of matches.entries()) this.#found[index] = (this.#found[index] ?? 0) + length;
  }

  /** Returns the patterns that found nothing and are invalid or incomplete in all languages. */
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
