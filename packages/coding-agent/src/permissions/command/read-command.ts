import { parseShell, type ShellNode } from "./shell-tree.ts";
import { Opaque, staticWord } from "./words.ts";

/** A file that the shell itself opens for a command. */
export interface Redirection {
  path: string;
  access: "read" | "write";
}

/** A text of the shell of which every program with all its arguments is known before it runs. */
export interface StaticCommand {
  programs: string[][];
  redirections: Redirection[];
  /** A word is a pattern for names of files, which stays as written. */
  hasPatterns: boolean;
}

/**
 * The programs that a text for the shell starts, or `undefined` when that cannot be told with certainty. What is not known
 * to be harmless counts as uncertain, never the other way round: the grammar's tree is read by a list of what is understood.
 */
export function readCommand(text: string): StaticCommand | undefined {
  if (last?.text !== text) last = { text, reading: read(text) };
  return last.reading;
}

/** A call is judged when it is announced and when it runs. */
let last: { text: string; reading: StaticCommand | undefined } | undefined;

/** A longer text is a program of its own. */
const MAX_LENGTH = 16_384;

function read(text: string): StaticCommand | undefined {
  if (text.length > MAX_LENGTH || hasStrangeCharacters(text)) return undefined;
  try {
    const found: StaticCommand = { programs: [], redirections: [], hasPatterns: false };
    const root = parseShell(text);
    checkGaps(text, root);
    readStatement(root, found);
    return found.programs.length === 0 ? undefined : found;
  } catch (error) {
    if (error instanceof Opaque || isMissingGrammar(error)) return undefined;
    throw error;
  }
}

/** Blanks and controls of which shell and grammar may think differently. */
function hasStrangeCharacters(text: string): boolean {
  return /(?![ \t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\ufffd]/u.test(text);
}

/** A build without the engine or the grammar understands no command. */
function isMissingGrammar(error: unknown): boolean {
  return error instanceof Error && /not part of this build|not supported|Invalid Language/i.test(error.message);
}

type Reader = (node: ShellNode, found: StaticCommand) => void;

const STATEMENTS: Readonly<Record<string, Reader>> = {
  program: readParts,
  list: readParts,
  pipeline: readParts,
  subshell: readParts,
  compound_statement: readParts,
  negated_command: readParts,
  redirected_statement: readParts,
  command: readProgram,
  file_redirect: readRedirection,
  comment: () => {},
};

const OPERATORS = new Set([";", "&&", "||", "|", "|&", "&", "(", ")", "{", "}", "!", "\n"]);

function readStatement(node: ShellNode, found: StaticCommand): void {
  const readNode = STATEMENTS[node.kind];
  if (readNode === undefined) throw new Opaque(`${node.kind}`);
  readNode(node, found);
}

function readParts(node: ShellNode, found: StaticCommand): void {
  for (const part of node.children) {
    if (!part.isNamed && OPERATORS.has(part.text)) continue;
    readStatement(part, found);
  }
}

/** Words that make the shell read further text, change what names mean, or keep state for the commands behind them. */
const CHANGES_THE_SHELL = new Set(
  (
    ". alias bind builtin case command compgen complete coproc declare disown do done elif else enable esac eval exec export " +
    "fc fi for function hash if in let local mapfile popd pushd read readarray readonly select set shopt source then time " +
    "trap typeset ulimit umask unalias unset until while [ [["
  ).split(" "),
);

function readProgram(node: ShellNode, found: StaticCommand): void {
  const words: string[] = [];
  for (const part of node.children) {
    if (part.kind === "file_redirect") readRedirection(part, found);
    else if (part.kind === "command_name") words.push(programName(part));
    else {
      const { word, isPattern } = staticWord(part);
      found.hasPatterns ||= isPattern;
      words.push(word);
    }
  }
  const [name] = words;
  if (name === undefined || name === "" || CHANGES_THE_SHELL.has(name)) throw new Opaque("changes the shell");
  found.programs.push(words);
}

/** A name is written as it is: a pattern or a quoted keyword would only serve to hide one. */
function programName(node: ShellNode): string {
  const [part, ...more] = node.children;
  if (part === undefined || more.length > 0) throw new Opaque("a name of several parts");
  const { word: name } = staticWord(part);
  if (name.includes("=") || /[*?[\]{}~^#!]/.test(name)) throw new Opaque("a name with a meaning to the shell");
  return name;
}

const REDIRECTIONS: Readonly<Record<string, readonly Redirection["access"][]>> = {
  "<": ["read"],
  ">": ["write"],
  ">>": ["write"],
  ">|": ["write"],
  "&>": ["write"],
  "&>>": ["write"],
  "<>": ["read", "write"],
};

function readRedirection(node: ShellNode, found: StaticCommand): void {
  const [first, ...rest] = node.children;
  const parts = first?.kind === "file_descriptor" ? rest : [first, ...rest];
  const [operator, target, ...more] = parts;
  if (operator === undefined || target === undefined || more.length > 0)
    throw new Opaque("a redirection of many words");
  if (isDuplicate(operator, target)) return;
  const accesses = REDIRECTIONS[operator.text];
  if (accesses === undefined) throw new Opaque(`redirection ${operator.text}`);
  const { word: path, isPattern } = staticWord(target);
  if (path === "" || isPattern) throw new Opaque("a redirection to a pattern");
  for (const access of accesses) found.redirections.push({ path, access });
}

/** `2>&1`: no file is opened. */
function isDuplicate(operator: ShellNode, target: ShellNode): boolean {
  return [">&", "<&"].includes(operator.text) && /^(?:\d|-)$/.test(target.text);
}

/** Every character belongs to a leaf of the tree or is a blank between two: nothing was skipped on the way. */
function checkGaps(text: string, root: ShellNode): void {
  let end = 0;
  const check = (start: number): void => {
    const gap = text.slice(end, start);
    if (!/^(?:[ \t\n]|\\\n)*$/.test(gap)) throw new Opaque("a part that the grammar skipped");
  };
  const walk = (node: ShellNode, insideCommand: boolean): void => {
    const { children } = node;
    if (node.start === node.end && node.kind !== "program") throw new Opaque("a part that the grammar made up");
    if (children.length === 0 || node.kind === "string") {
      check(node.start);
      if (insideCommand && /(?<!\\)\n/.test(text.slice(end, node.start))) throw new Opaque("a command over two lines");
      end = node.end;
      return;
    }
    let isFirst = true;
    for (const child of children) {
      walk(child, insideCommand || (node.kind === "command" && !isFirst));
      isFirst = false;
    }
  };
  walk(root, false);
  check(text.length);
}
