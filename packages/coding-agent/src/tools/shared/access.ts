import type { ToolAccess } from "../define-tool.ts";

// How declarations state which files a call accesses. Arguments are validated, except those of a tool that replaces a
// built-in one, which may be anything.

export const pathOf = ({ path }: Readonly<Record<string, unknown>>): string => (typeof path === "string" ? path : ".");

type FileAccess = Extract<ToolAccess, { kind: "read" | "write" }>;

export const READS_PATH: FileAccess = { kind: "read", paths: (args) => [pathOf(args)] };

export const WRITES_PATH: FileAccess = { kind: "write", paths: (args) => [pathOf(args)] };

/** Returns the directory above the first wildcard, or all files if `..` follows it. */
export function searchedRoot(pattern: string): string {
  const at = pattern.search(/[*?[{]/);
  if (at === -1) return pattern;
  if (/(?:^|\/)\.\.(?:\/|$)/.test(pattern.slice(at))) return "/";
  return pattern.slice(0, pattern.lastIndexOf("/", at) + 1) || ".";
}

/** A pattern may itself contain the directory to search. */
export const FINDS_FILES: ToolAccess = {
  kind: "read",
  paths: (args) =>
    typeof args.path === "string" ? [args.path, ...rootOf(args.pattern)] : [".", ...rootOf(args.pattern)],
};

const rootOf = (pattern: unknown): string[] =>
  typeof pattern === "string" && /[/~]|\.\./.test(pattern) ? [searchedRoot(pattern)] : [];

export const RUNS_COMMAND: ToolAccess = {
  kind: "execute",
  command: ({ command, cwd, env, escalate, reason }) => ({
    text: typeof command === "string" ? command : "",
    ...(typeof cwd === "string" && { cwd }),
    ...(escalate === true && { escalation: typeof reason === "string" ? reason : "" }),
    ...ownEnvironment(env),
  }),
};

function ownEnvironment(env: unknown): { hasOwnEnvironment: boolean; env?: Record<string, string> } {
  const entries = typeof env === "object" && env !== null ? Object.entries(env) : [];
  if (entries.length === 0) return { hasOwnEnvironment: false };
  return { hasOwnEnvironment: true, env: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) };
}
