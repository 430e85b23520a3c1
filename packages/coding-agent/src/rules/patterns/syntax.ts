/** One character of the input, as a pattern describes it. A character is a UTF-16 unit, as for a RegExp without `u`. */
export interface Atom {
  /** Atoms with the same key match the same characters. */
  key: string;
  matches(char: string): boolean;
}

/** A condition on the characters next to a place: `^`, `$`, `\b`, or a look-around of one character. */
export interface EdgeTest {
  atom: Atom;
  /** `both` means that the two characters differ in whether they match the atom. */
  where: "behind" | "ahead" | "both";
  isNegated: boolean;
  /** The result at the beginning and the end of the text. */
  atEdge: boolean;
}

export type PatternNode =
  /** `orPair`: with the flag `u`, the atom may also match a surrogate pair; only RegExp can tell which. */
  | { kind: "atom"; atom: Atom; orPair: boolean }
  | { kind: "edge"; test: EdgeTest }
  /** Looks further than one character. */
  | { kind: "look"; where: "behind" | "ahead"; body: PatternNode }
  /** Matches what a group has matched before. */
  | { kind: "backreference" }
  | { kind: "all"; parts: readonly PatternNode[] }
  | { kind: "any"; options: readonly PatternNode[] }
  | { kind: "repeat"; body: PatternNode; min: number; max: number };

const NEWLINE = classAtom("[\\n\\r\\u2028\\u2029]", "");
const NOTHING = classAtom("[]", "");
const ESCAPE = /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|k<[^>]*>|p\{[^}]*\}|[1-9]\d*|0[0-7]{0,2}|[\s\S])/iy;
const GROUP = /\((?:\?(?:(<?[=!])|<[^>]*>|([a-z]*)(?:-([a-z]*))?:))?/y;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;
const SIMPLE: Record<string, readonly [number, number]> = {
  "*": [0, Number.POSITIVE_INFINITY],
  "+": [1, Number.POSITIVE_INFINITY],
  "?": [0, 1],
};

/** Parses a source that RegExp accepts with these flags. RegExp itself decides which characters an atom matches. */
export function parsePattern(source: string, flags: string): PatternNode {
  return new Parser(source).any(flags);
}

export function childrenOf(node: PatternNode): readonly PatternNode[] {
  if (node.kind === "all") return node.parts;
  if (node.kind === "any") return node.options;
  return node.kind === "repeat" || node.kind === "look" ? [node.body] : [];
}

class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  any(flags: string): PatternNode {
    const options = [this.#all(flags)];
    while (this.#source[this.#at] === "|") {
      this.#at += 1;
      options.push(this.#all(flags));
    }
    return options.length === 1 ? options[0]! : { kind: "any", options };
  }

  #all(flags: string): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)) {
      parts.push(this.#quantified(this.#term(flags)));
    }
    return parts.length === 1 ? parts[0]! : { kind: "all", parts };
  }

  #quantified(body: PatternNode): PatternNode {
    const match = this.#take(QUANTIFIER);
    if (!match) return body;
    const [, simple, from, comma, to] = match;
    const [min, max] =
      simple !== undefined
        ? SIMPLE[simple]!
        : [Number(from), comma === "" ? Number(from) : to === "" ? Number.POSITIVE_INFINITY : Number(to)];
    return { kind: "repeat", body, min, max };
  }

  #term(flags: string): PatternNode {
    const char = this.#source[this.#at]!;
    if (char === "(") return this.#group(flags);
    if (char === "\\") return escaped(this.#take(ESCAPE)![0], flags);
    if (char === "[") return atomNode(classAtom(this.#class(), flags), flags);
    this.#at += 1;
    const line = flags.includes("m") ? NEWLINE : NOTHING;
    if (char === "^") return edge({ atom: line, where: "behind", atEdge: true });
    if (char === "$") return edge({ atom: line, where: "ahead", atEdge: true });
    if (char === ".") return atomNode(classAtom(".", flags), flags);
    if (flags.includes("u") && /[\ud800-\udbff]/.test(char)) this.#at += 1; // a pair is one character
    return atomNode(flags.includes("i") ? classAtom(char, flags) : literalAtom(char), flags);
  }

  #group(flags: string): PatternNode {
    const [, look, on = "", off = ""] = this.#take(GROUP)!;
    const kept = [...flags].filter((flag) => !off.includes(flag)).join("");
    const body = this.any(kept + on);
    this.#at += 1;
    if (look === undefined) return body;
    const where = look.startsWith("<") ? "behind" : "ahead";
    const isNegated = look.endsWith("!");
    if (body.kind === "atom" && !body.orPair) return edge({ atom: body.atom, where, isNegated, atEdge: false });
    return { kind: "look", where, body };
  }

  #class(): string {
    const start = this.#at;
    do {
      this.#at += this.#source[this.#at] === "\\" ? 2 : 1;
    } while (this.#source[this.#at] !== "]");
    this.#at += 1;
    return this.#source.slice(start, this.#at);
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source);
    if (match) this.#at += match[0].length;
    return match;
  }
}

function escaped(source: string, flags: string): PatternNode {
  if (source === "\\b" || source === "\\B") {
    // With `i` and `u`, `ſ` and the Kelvin sign are word characters too.
    return edge({ atom: classAtom("\\w", flags), where: "both", isNegated: source === "\\B", atEdge: false });
  }
  if (/^\\(?:[1-9]|k<)/.test(source)) return { kind: "backreference" };
  return atomNode(classAtom(source, flags), flags);
}

function edge(test: Omit<EdgeTest, "isNegated"> & { isNegated?: boolean }): PatternNode {
  return { kind: "edge", test: { isNegated: false, ...test } };
}

function atomNode(atom: Atom, flags: string): PatternNode {
  return { kind: "atom", atom, orPair: flags.includes("u") };
}

function literalAtom(char: string): Atom {
  return { key: char, matches: (other) => other === char };
}

function classAtom(source: string, flags: string): Atom {
  const used = [...flags].filter((flag) => "isu".includes(flag)).join("");
  const regex = new RegExp(`^(?:${source})$`, used);
  return { key: `/${source}/${used}`, matches: (char) => regex.test(char) };
}
