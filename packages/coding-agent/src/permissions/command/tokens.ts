import type { ShellNode } from "./shell-tree.ts";
import { Opaque, readWord, type StaticWord } from "./words.ts";

export type ShellToken =
  | { kind: "word"; word: StaticWord }
  /** Separates commands; includes line breaks. */
  | { kind: "operator"; text: string }
  /** `descriptor` is a digit or empty. Operators such as `>&-` have no target. */
  | { kind: "redirection"; descriptor: string; operator: string; target?: StaticWord };

/**
 * Flattens the syntax tree into the shell's tokens. Nesting is discarded, because it does not change which programs run.
 * Throws Opaque for anything that is not fully understood.
 */
export function readTokens(text: string, root: ShellNode): ShellToken[] {
  const leaves = withLineBreaks(text, leavesOf(root));
  const tokens: ShellToken[] = [];
  for (let at = 0; at < leaves.length; ) {
    const { token, length } = tokenAt(leaves, at);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

interface Leaf {
  role: "word" | "operator" | "redirect" | "descriptor" | "comment";
  text: string;
  start: number;
  end: number;
}

const WORDS = new Set(["word", "number", "raw_string", "string", "concatenation"]);

/** Kinds of nodes that only contain other nodes. All others, and nodes that the parser had to repair, are opaque. */
const CONTAINERS = new Set(
  "program list pipeline subshell compound_statement negated_command redirected_statement command command_name file_redirect".split(
    " ",
  ),
);

const OPERATORS = new Set([";", "&&", "||", "|", "|&", "&", "(", ")", "{", "}", "!", "\n"]);
const REDIRECTS = new Set(["<", ">", ">>", ">|", "&>", "&>>", "<>", ">&", "<&", ">&-", "<&-"]);

function leavesOf(node: ShellNode): Leaf[] {
  const { kind, text, start, end, children, isNamed } = node;
  if (CONTAINERS.has(kind) && isNamed) return children.flatMap(leavesOf);
  if (start === end || hasRepairs(node)) throw new Opaque("a part that the grammar repaired");
  if (!isNamed && OPERATORS.has(text)) return text === "\n" ? [] : [{ role: "operator", text, start, end }];
  if (!isNamed && REDIRECTS.has(text)) return [{ role: "redirect", text, start, end }];
  if (kind === "file_descriptor") return [{ role: "descriptor", text, start, end }];
  if (kind === "comment") return [{ role: "comment", text, start, end }];
  if (isNamed && WORDS.has(kind)) return [{ role: "word", text, start, end }];
  throw new Opaque(kind);
}

function hasRepairs({ kind, start, end, children }: ShellNode): boolean {
  return kind === "ERROR" || start === end || children.some(hasRepairs);
}

/** Checks that nothing was skipped between two tokens, and that a line continuation there separates them for the shell too. */
function hasLineBreak(gap: string): boolean {
  if (!/^(?:[ \t\n]|\\\n)*$/.test(gap)) throw new Opaque("a part that the grammar skipped");
  const joined = gap.replaceAll("\\\n", "");
  if (gap !== joined && joined === "") throw new Opaque("a line continuation that may be inside a word");
  return joined.includes("\n");
}

const CONNECTORS = new Set([";", "&&", "||", "|", "|&", "&"]);

/** Throws unless every shell reads two adjacent tokens without a blank between them as two tokens. */
function checkTouching(previous: Leaf | undefined, { role, text }: Leaf): void {
  if (!previous || role === "comment") return;
  const isAfterWord = previous.role === "word";
  if (isAfterWord && (role === "word" || role === "descriptor")) throw new Opaque("two words that touch");
  if (isAfterWord && role === "redirect" && /^\d+$/.test(previous.text))
    throw new Opaque("a word that is a descriptor");
  if (previous.text.endsWith("-") && !isAfterWord) throw new Opaque("a sign that touches what follows");
  if (isAfterWord || role === "word") {
    if (text === "(" || text === "{" || text === "}") throw new Opaque("a bracket that touches a word");
    if (previous.text === "{" || previous.text === "}" || previous.text === "!") throw new Opaque("a sign in a word");
    return;
  }
  if (previous.role === "descriptor" && role === "redirect") return;
  if (previous.text === ")" && role === "operator" && text !== "(") return;
  if (text === "(" && CONNECTORS.has(previous.text)) return;
  if ((text === ")" || text === "}") && (previous.text === ";" || previous.text === "&")) return;
  if (previous.text === "}" && (CONNECTORS.has(text) || text === ")")) return;
  throw new Opaque("signs that touch");
}

/** Throws unless a comment starts where a word could start and ends with its line. */
function checkComment(text: string, { start, end }: Leaf): void {
  const starts = start === 0 || /[ \t\n;&|()]/.test(text[start - 1] ?? "");
  if (!starts || !text.startsWith("#", start)) throw new Opaque("a comment inside a word");
  if (text.slice(start, end).includes("\n") || (end < text.length && text[end] !== "\n"))
    throw new Opaque("a comment that does not end with its line");
}

/** Checks what is between the leaves, leaves out comments, and adds the line breaks, which separate commands. */
function withLineBreaks(text: string, leaves: readonly Leaf[]): Leaf[] {
  const found: Leaf[] = [];
  let previous: Leaf | undefined;
  for (const leaf of leaves) {
    const { start } = leaf;
    const gap = text.slice(previous?.end ?? 0, start);
    if (hasLineBreak(gap)) found.push({ role: "operator", text: "\n", start, end: start });
    if (gap === "") checkTouching(previous, leaf);
    if (leaf.role === "comment") checkComment(text, leaf);
    else found.push(leaf);
    previous = leaf;
  }
  hasLineBreak(text.slice(previous?.end ?? 0));
  return found;
}

function tokenAt(leaves: readonly Leaf[], at: number): { token: ShellToken; length: number } {
  const leaf = leaves[at];
  if (leaf?.role === "word") return { token: { kind: "word", word: readWord(leaf.text) }, length: 1 };
  if (leaf?.role === "operator") return { token: { kind: "operator", text: leaf.text }, length: 1 };
  const descriptor = leaf?.role === "descriptor" ? leaf : undefined;
  const [operator, target] = leaves.slice(descriptor ? at + 1 : at);
  if (operator?.role !== "redirect") throw new Opaque("a descriptor without a redirection");
  if (descriptor) checkDescriptor(descriptor, operator);
  const token = { kind: "redirection" as const, descriptor: descriptor?.text ?? "", operator: operator.text };
  const length = descriptor ? 2 : 1;
  if (operator.text.endsWith("-")) return { token, length };
  if (target?.role !== "word") throw new Opaque("a redirection without a target");
  if (/^[<>]&$/.test(operator.text) && !/^(?:\d|-)$/.test(target.text)) throw new Opaque("a quoted descriptor");
  if (ASSIGNMENT.test(target.text)) throw new Opaque("a file that is called like an assignment");
  return { token: { ...token, target: readWord(target.text) }, length: length + 1 };
}

/** bash rejects `<a &>> b=c`, because it reads the file name as an assignment, but accepts it with every other operator. */
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** Throws unless the descriptor has one digit, because sh supports no others. */
function checkDescriptor({ text, end }: Leaf, operator: Leaf): void {
  if (!/^\d$/.test(text) || operator.start !== end || operator.text.startsWith("&"))
    throw new Opaque("a descriptor that is not one digit");
}
