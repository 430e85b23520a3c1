import { parseShell } from "./shell-tree.ts";
import { readTokens, type ShellToken } from "./tokens.ts";
import { Opaque } from "./words.ts";

/** A file that the shell itself opens for a command. */
export interface Redirection {
  path: string;
  access: "read" | "write";
}

export interface StaticProgram {
  argv: string[];
  /** True if one of the words is a pattern for file names, which stays as written. */
  hasPattern: boolean;
}

/** A command whose programs and arguments are all known before it runs. */
export interface StaticCommand {
  programs: StaticProgram[];
  redirections: Redirection[];
  /**
   * The command printed from its parsed form, with every word quoted, which bash and sh parse in only one way. A command that is
   * allowed because of its parsed form runs as this script, never as the original, so that parser and shell cannot disagree.
   */
  script: string;
}

/**
 * Returns the programs that a shell command starts, or undefined if that is not certain. The syntax tree is read with an
 * allowlist: anything that is not known to be harmless makes the command opaque.
 */
export function readCommand(text: string): StaticCommand | undefined {
  if (last?.text !== text) last = { text, reading: read(text) };
  return last.reading;
}

/** The last result, because each call is judged twice: when it is announced and when it runs. */
let last: { text: string; reading: StaticCommand | undefined } | undefined;

/** Longer commands are treated as opaque. */
const MAX_LENGTH = 16_384;

function read(text: string): StaticCommand | undefined {
  if (text.length > MAX_LENGTH || hasStrangeCharacters(text)) return undefined;
  try {
    const tokens = readTokens(text, parseShell(text));
    const programs = programsOf(tokens);
    if (programs.length === 0) return undefined;
    return { programs, redirections: tokens.flatMap(redirectionsOf), script: tokens.map(print).join(" ") };
  } catch (error) {
    if (error instanceof Opaque || isMissingGrammar(error)) return undefined;
    throw error;
  }
}

/** Returns whether the text has blanks or control characters that a shell and the grammar may treat differently. */
function hasStrangeCharacters(text: string): boolean {
  return /(?![ \t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\ufffd]/u.test(text);
}

/** Returns whether the build lacks the parser or the grammar, which makes every command opaque. */
function isMissingGrammar(error: unknown): boolean {
  return error instanceof Error && /not part of this build|not supported|Invalid Language/i.test(error.message);
}

/** Tokens that may precede a command. */
const OPENING = new Set(["(", "{", "!"]);

interface Segment {
  argv: string[];
  hasPattern: boolean;
  isEmpty: boolean;
  /** True after a closing bracket: redirections may follow, words may not. */
  isClosed: boolean;
}

const newSegment = (isClosed = false): Segment => ({ argv: [], hasPattern: false, isEmpty: true, isClosed });

/** Groups the words between two operators into programs, as the shell does. */
function programsOf(tokens: readonly ShellToken[]): StaticProgram[] {
  const programs: StaticProgram[] = [];
  let segment = newSegment();
  let previous: string | undefined;
  const finish = (): void => {
    const { argv, hasPattern, isEmpty, isClosed } = segment;
    if (argv.length > 0) programs.push(checkedProgram({ argv, hasPattern }));
    else if (!isEmpty && !isClosed) throw new Opaque("redirections without a program");
  };
  for (const token of tokens) {
    if (token.kind === "operator") {
      const { text } = token;
      if (OPENING.has(text) && (!segment.isEmpty || segment.isClosed)) throw new Opaque("a bracket inside a command");
      if (text === "}" && !segment.isEmpty) throw new Opaque("a brace inside a command");
      if (previous === "!" && text !== "(" && text !== "{") throw new Opaque("a negation without a command");
      previous = text;
      finish();
      segment = newSegment(text === ")" || text === "}");
      continue;
    }
    previous = undefined;
    segment.isEmpty = false;
    if (token.kind === "redirection") continue;
    if (segment.isClosed) throw new Opaque("a word after a bracket");
    if (segment.argv.length === 0) checkName(token.word);
    segment.argv.push(token.word.word);
    segment.hasPattern ||= token.word.isPattern;
  }
  finish();
  return programs;
}

/** Rejects a name that contains a pattern or quotes, which would only serve to disguise it. */
function checkName({ word, isPattern }: { word: string; isPattern: boolean }): void {
  if (word === "" || isPattern || /[=*?[\]{}~^#!%]/.test(word)) throw new Opaque("a name with a meaning to the shell");
}

/** Words that make the shell read more text, change what names mean, or keep state for later commands. */
const CHANGES_THE_SHELL = new Set(
  (
    ". alias bind builtin caller case command compgen complete compopt coproc declare dirs disown do done elif else enable esac " +
    "eval exec export fc fi for function getopts hash history if in jobs let local logout mapfile popd pushd read readarray " +
    "readonly select set shopt source suspend then time trap typeset ulimit umask unalias unset until wait while [ [["
  ).split(" "),
);

/** Options that assign variables or evaluate subscripts. */
const ASSIGNS: Readonly<Record<string, RegExp>> = { printf: /^-v/, test: /^-[vR]$/ };

function checkedProgram(program: StaticProgram): StaticProgram {
  const [name = "", ...words] = program.argv;
  if (CHANGES_THE_SHELL.has(name)) throw new Opaque("changes the shell");
  const assigns = Object.hasOwn(ASSIGNS, name) ? ASSIGNS[name] : undefined;
  if (assigns && words.some((word) => assigns.test(word))) throw new Opaque("assigns a variable");
  return program;
}

const ACCESSES: Readonly<Record<string, readonly Redirection["access"][]>> = {
  "<": ["read"],
  ">": ["write"],
  ">>": ["write"],
  ">|": ["write"],
  "&>": ["write"],
  "&>>": ["write"],
  "<>": ["read", "write"],
};

function redirectionsOf(token: ShellToken): Redirection[] {
  if (token.kind !== "redirection" || token.target === undefined || isDuplicate(token)) return [];
  const accesses = ACCESSES[token.operator];
  const { word: path, isPattern } = token.target;
  if (accesses === undefined || path === "" || isPattern) throw new Opaque("a redirection that is not plain");
  return accesses.map((access) => ({ path, access }));
}

type RedirectionToken = Extract<ShellToken, { kind: "redirection" }>;

/** `2>&1` opens no file. */
function isDuplicate({ operator, target }: RedirectionToken): boolean {
  return (operator === ">&" || operator === "<&") && /^(?:'\d'|'-')$/.test(target?.quoted ?? "");
}

/** Operators that bash abbreviates and sh parses differently, with the long form that is printed. */
const IN_FULL: Readonly<Record<string, string>> = { "&>": ">", "&>>": ">>" };

function print(token: ShellToken): string {
  if (token.kind === "word") return token.word.quoted;
  if (token.kind === "operator") return token.text === "|&" ? "2>&1 |" : token.text;
  const { descriptor, operator, target } = token;
  if (isDuplicate(token)) return `${descriptor}${operator}${target?.word}`;
  const full = IN_FULL[operator];
  if (full !== undefined) return `${full}${target?.quoted} 2>&1`;
  return `${descriptor}${operator}${target?.quoted ?? ""}`;
}
