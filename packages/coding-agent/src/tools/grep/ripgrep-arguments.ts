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

/** Options that say what matches. A value is always in one word with its option, so that it may begin with a dash. */
export function matchArguments(args: GrepArguments): string[] {
  const { pattern, glob, type, literal, ignoreCase, multiline } = args;
  return [
    "--crlf", // `$` also matches before the line ends of Windows
    "--engine=auto", // look-around and back references work, with PCRE2
    ...(literal ? ["--fixed-strings"] : []),
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(multiline ? ["--multiline", "--multiline-dotall"] : namesLineBreak(args) ? ["--multiline"] : []),
    ...(type === undefined ? [] : [`--type=${type}`]),
    ...(glob === undefined ? [] : globArguments(glob, type)),
    `--regexp=${pattern}`,
  ];
}

/** ripgrep refuses such a pattern otherwise. */
function namesLineBreak({ pattern, literal }: GrepArguments): boolean {
  return pattern.includes("\n") || (!literal && /\\[nR]/.test(pattern));
}

/** What a glob leaves out cannot bring back what .gitignore does, so that ripgrep may do it alone. */
function globArguments(glob: string, type: string | undefined): string[] {
  if (glob.startsWith("!")) return [`--glob=${glob}`];
  return type === undefined ? nameSelection(glob) : [];
}
