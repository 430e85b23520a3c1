import { errorText } from "@pintle/ai";
import type { AstEngine, NapiConfig } from "../../native/ast-engine.ts";
import type { Language } from "./languages.ts";
import { malformedVariable } from "./metavariables.ts";

/** Far beyond what is written by hand; the engine works through a pattern recursively. */
const MAX_PATTERN_LENGTH = 4_000;

/** Throws for what can be seen to be wrong in any language. */
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
export type Compiled = { matcher: NapiConfig; doubt?: string } | { failure: string };

export function compilePattern(
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

const INCOMPLETE = "does not parse by itself; complete it, or put it into context and set sel";

/** Errors further inside say little: variables stand in places where their language has no names. */
function isComplete(engine: AstEngine, engineName: string, code: string): boolean {
  const root = engine.parse(engineName, code).root();
  return ![root, ...root.children()].some((node) => node.is("ERROR"));
}

export const ERRORS: NapiConfig = { rule: { kind: "ERROR" } };

/** The engine's message is a chain of which the last link says what is wrong. */
function explain(error: unknown): string {
  const last = errorText(error).split("|->").at(-1) ?? "";
  const reason = last.replace(/ Please check the pattern source[\s\S]*$/, "").trim();
  return reason.startsWith("Multiple AST nodes") ? `${reason} Wrap it in valid context and set sel.` : reason;
}
