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
  /** One of the words is a pattern for names of files, which stays as written. */
  hasPattern: boolean;
}

/** A command of which every program with all its arguments is known before it runs. */
export interface StaticCommand {
  programs: StaticProgram[];
  redirections: Redirection[];
  /**
   * The command printed from this reading, every word quoted. bash and sh read it in one way only. A command that is
   * allowed because of this reading runs as this script, never as the original: then reader and shell cannot disagree.
   */
  script: string;
}

/**
 * Returns the programs that a shell command starts, or undefined if that is not certain. What is not known to be harmless is
 * uncertain, never the other way round: the grammar's tree is read by a list of what is understood.
 */
export function readCommand(text: string): StaticCommand | undefined {
  if (last?.text !== text) last = { text, reading: read(text) };
  return last.reading;
}

/** A call is judged when it is announced and when it runs. */
let last: { text: string; reading: StaticCommand | undefined } | undefined;

/** Longer text is a program of its own. */
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

/** Blanks and controls that a shell and the grammar may treat differently. */
function hasStrangeCharacters(text: string): boolean {
  return /(?![ \t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\ufffd]/u.test(text);
}

/** A build without the engine or the grammar understands no command. */
function isMissingGrammar(error: unknown): boolean {
  return error instanceof Error && /not part of this build|not supported|Invalid Language/i.test(error.message);
}

/** What may come before the next command. A closing brace is only one where a command could begin. */
const OPENING = new Set(["(", "{", "!"]);

interface Segment {
  argv: string[];
  hasPattern: boolean;
  isEmpty: boolean;
  /** A bracket was closed: redirections may follow, words may not. */
  isClosed: boolean;
}

const newSegment = (isClosed = false): Segment => ({ argv: [], hasPattern: false, isEmpty: true, isClosed });

/** The words between two operators are one program, as for the shell. */
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

/** A name is written as it is: a pattern or a quoted sign would only serve to hide one. */
function checkName({ word, isPattern }: { word: string; isPattern: boolean }): void {
  if (word === "" || isPattern || /[=*?[\]{}~^#!%]/.test(word)) throw new Opaque("a name with a meaning to the shell");
}

/** Words that make the shell read further text, change what names mean, or keep state for later commands. */
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

/** What bash abbreviates and sh reads differently is printed in full. */
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
