import type { GrepOutput } from "../grep.ts";
import { nameSelection } from "../search/globs.ts";

export interface GrepArguments {
  pattern: string;
  path?: string;
  glob?: string;
  type?: string;
  ignoreCase?: boolean;
  literal?: boolean;
  multiline?: boolean;
  output?: GrepOutput;
  context?: number;
  limit?: number;
  offset?: number;
}

export interface Page {
  limit: number;
  offset: number;
  /** Lines around each match. */
  context: number;
}

const DEFAULT_LIMIT = 100;
const MAX_CONTEXT = 100;

export function pageOf({ limit = DEFAULT_LIMIT, offset = 0, context = 0 }: GrepArguments): Page {
  return { limit, offset, context: Math.min(context, MAX_CONTEXT) };
}

/** Options for the lines of a page. */
export function pageArguments({ limit, offset, context }: Page): string[] {
  return [
    "--json",
    `--max-count=${offset + limit + 1}`, // ripgrep buffers what it finds in one file
    ...(context > 0 ? [`--context=${context}`] : []),
  ];
}

/** Options that determine what matches. Each value is in one argument with its option, so it may start with a dash. */
export function matchArguments(args: GrepArguments): string[] {
  const { pattern, glob, type, literal, ignoreCase, multiline } = args;
  return [
    "--crlf", // `$` also matches before Windows line endings
    "--engine=auto", // enables look-around and back references, through PCRE2
    ...(literal ? ["--fixed-strings"] : []),
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(multiline ? ["--multiline", "--multiline-dotall"] : namesLineBreak(args) ? ["--multiline"] : []),
    ...(type === undefined ? [] : [`--type=${type}`]),
    ...(glob === undefined ? [] : globArguments(glob, type)),
    `--regexp=${pattern}`,
  ];
}

/** Whether the pattern needs multi-line mode, because ripgrep refuses it otherwise. */
function namesLineBreak({ pattern, literal }: GrepArguments): boolean {
  return pattern.includes("\n") || (!literal && /\\[nR]/.test(pattern));
}

/** Whether the glob only excludes files. Such a glob cannot override .gitignore, so ripgrep can apply it itself. */
function globArguments(glob: string, type: string | undefined): string[] {
  if (glob.startsWith("!")) return [`--glob=${glob}`];
  return type === undefined ? nameSelection(glob) : [];
}
