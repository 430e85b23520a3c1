/** A pattern and what is known about where it can match; patterns come from project files, so none may take long. */
export interface SafePattern {
  regex: RegExp;
  /** Text that every match contains; undefined when there is none that could be found. */
  literal?: string;
  /** A match may reach over the end of a line. */
  isMultiline: boolean;
  /** Whether it matches depends on what follows: a match at the very end of a growing text does not count yet. */
  looksAhead: boolean;
}

/** Unbounded runs of nearly any character. Each multiplies the worst case by the length of the text. */
const MAX_WIDE_RUNS = 2;

/** Throws an Error that says why the pattern cannot be used. */
export function compileSafely(source: string): SafePattern {
  const regex = new RegExp(source, "m");
  const facts = inspect(source);
  return {
    regex,
    ...(facts.literal.length >= 2 && { literal: facts.literal }),
    isMultiline: facts.isMultiline,
    looksAhead: /\\[bB]|\$|\(\?[=!]/.test(source),
  };
}

interface Group {
  hasUnbounded: boolean;
  /** First characters of the alternatives, undefined for one that is no plain character. */
  firsts: (string | undefined)[];
  isAtStart: boolean;
}

interface Facts {
  literal: string;
  isMultiline: boolean;
}

/** One pass over the source. It only has to be right about what it accepts: what it does not understand is refused. */
function inspect(source: string): Facts {
  const groups: Group[] = [newGroup()];
  let literal = "";
  let run = "";
  let wideRuns = 0;
  let isMultiline = false;
  let at = 0;
  const endRun = (keep = run) => {
    if (keep.length > 0 && keep.length >= literal.length) literal = keep; // the last of the longest: nearest to the end
    run = "";
  };
  while (at < source.length) {
    const group = groups.at(-1)!;
    const char = source[at]!;
    if (char === "(") {
      endRun();
      markStart(group, undefined);
      groups.push(newGroup());
      at += /^\((\?(:|=|!|<=|<!|<\w+>))?/.exec(source.slice(at))![0].length;
      continue;
    }
    if (char === "|") {
      if (groups.length === 1) return refuseLiteral(source);
      run = "";
      group.isAtStart = true;
      at += 1;
      continue;
    }
    const atom =
      char === ")" ? { length: 1, plain: undefined, isWide: false, isMultiline: false } : readAtom(source, at);
    const closed = char === ")" ? groups.pop() : undefined;
    at += atom.length;
    isMultiline ||= atom.isMultiline;
    const quantifier = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(at))?.[0] ?? "";
    at += quantifier.length;
    const isUnbounded = /^[*+]|^\{\d+,\}/.test(quantifier);
    if (closed) {
      if (isUnbounded && closed.hasUnbounded) throw new Error("repeats something that repeats");
      if (isUnbounded && closed.firsts.length > 1 && !isDistinct(closed.firsts)) {
        throw new Error("repeats alternatives that may begin alike");
      }
      groups.at(-1)!.hasUnbounded ||= closed.hasUnbounded || isUnbounded;
      run = "";
      continue;
    }
    markStart(group, atom.plain);
    group.hasUnbounded ||= isUnbounded;
    if (isUnbounded && atom.isWide) wideRuns += 1;
    if (atom.plain !== undefined && quantifier === "" && groups.length === 1) run += atom.plain;
    else endRun();
  }
  endRun();
  if (wideRuns > MAX_WIDE_RUNS) throw new Error(`has more than ${MAX_WIDE_RUNS} runs of any character`);
  return { literal, isMultiline };
}

/** With alternatives at the top there is no text that every match contains; the parts are inspected all the same. */
function refuseLiteral(source: string): Facts {
  const inner = inspect(`(?:${source})`);
  return { literal: "", isMultiline: inner.isMultiline };
}

function newGroup(): Group {
  return { hasUnbounded: false, firsts: [], isAtStart: true };
}

function markStart(group: Group, plain: string | undefined): void {
  if (group.isAtStart) group.firsts.push(plain);
  group.isAtStart = false;
}

function isDistinct(firsts: readonly (string | undefined)[]): boolean {
  return !firsts.includes(undefined) && new Set(firsts).size === firsts.length;
}

interface Atom {
  length: number;
  /** The character it stands for, if it is exactly one. */
  plain: string | undefined;
  /** Stands for nearly any character. */
  isWide: boolean;
  isMultiline: boolean;
}

function readAtom(source: string, at: number): Atom {
  const char = source[at]!;
  if (char === "[") return readClass(source, at);
  if (char === ".") return { length: 1, plain: undefined, isWide: true, isMultiline: false };
  if (char === "^" || char === "$") return { length: 1, plain: undefined, isWide: false, isMultiline: false };
  if (char !== "\\") return { length: 1, plain: char, isWide: false, isMultiline: char === "\n" };
  const escape = /^\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|k<\w+>|[pP]\{[^}]*\}|\d+|[\s\S])/i.exec(
    source.slice(at),
  )![0];
  const body = escape.slice(1);
  const isPlain = body.length === 1 && !/[A-Za-z0-9]/.test(body);
  return {
    length: escape.length,
    plain: isPlain ? body : undefined,
    isWide: /^[SDWP]/.test(body),
    isMultiline: /^[nrsDWPcux]/.test(body),
  };
}

function readClass(source: string, at: number): Atom {
  let end = at + 1;
  while (end < source.length && source[end] !== "]") end += source[end] === "\\" ? 2 : 1;
  const body = source.slice(at + 1, end);
  const isNegated = body.startsWith("^");
  const hasOpposites = /\\[SDW]/.test(body);
  return {
    length: end + 1 - at,
    plain: undefined,
    isWide: isNegated || hasOpposites,
    isMultiline: (isNegated && !/\\n/.test(body)) || hasOpposites || (!isNegated && /\\[nrsu]|\n/.test(body)),
  };
}
