import { dirname, join } from "node:path";
import { hasFixedArguments } from "./fixed-arguments.ts";
import type { PermissionRequest } from "./request.ts";
import type { Rule } from "./rule.ts";
import { argvAsPattern } from "./rules/argv-pattern.ts";

export interface Suggestions {
  /** Together they allow the same request again, and as little else as rules can say. */
  narrow: Rule[];
  /** Wider ones that a person may prefer. */
  wide: Rule[];
}

const NOTHING: Suggestions = { narrow: [], wide: [] };

/**
 * Rules that would make the question unnecessary the next time. None for what no rule can name, such as an opaque command, for
 * a program that runs what it reads, and for a command that leaves the sandbox, because no rule allows that.
 */
export function suggestRules(request: PermissionRequest): Suggestions {
  const { command, paths = [], tool, kind, origin, escalation } = request;
  if (escalation !== undefined) return NOTHING;
  if (command) {
    const { programs } = command;
    return programs === "opaque" || !programs.every(hasFixedArguments) ? NOTHING : commandRules(programs);
  }
  if (origin !== "builtin") return { narrow: [{ effect: "allow", tool, origin }], wide: [] };
  const reals = [...new Set(paths.map(({ real }) => real))];
  const folders = [...new Set(reals.map((real) => join(literalGlob(dirname(real)), "**")))];
  return {
    narrow: reals.map((real) => ({ effect: "allow", kind, path: literalGlob(real) })),
    wide: folders.map((path) => ({ effect: "allow", kind, path })),
  };
}

/** In the order in which they are offered: for sessions in this project first, then for everywhere; narrow ones first in each. */
export function offeredRules(request: PermissionRequest, project: string): Rule[] {
  const { narrow, wide } = suggestRules(request);
  const everywhere = [...narrow, ...wide];
  return [...everywhere.map((rule): Rule => ({ ...rule, project })), ...everywhere];
}

/**
 * Programs whose second word says what is done, and the second words that say nothing: they run whatever comes after. For other
 * programs a wider rule would allow anything.
 */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  bun: ["exec", "x", "repl"],
  cargo: ["run"],
  dotnet: ["exec", "run", "script"],
  git: ["bisect", "config", "difftool", "filter-branch", "mergetool", "rebase", "submodule"],
  gradle: [],
  mvn: [],
  npm: ["config", "exec", "explore", "set", "x"],
  pnpm: ["config", "dlx", "exec"],
  yarn: ["config", "dlx", "exec", "node"],
};

function commandRules(programs: readonly string[][]): Suggestions {
  const patterns = new Set(programs.map(argvAsPattern));
  const wider = new Set(programs.filter(hasWiderRule).map((argv) => `${argvAsPattern(argv.slice(0, 2))} *`));
  const rule = (command: string): Rule => ({ effect: "allow", command });
  return { narrow: [...patterns].map(rule), wide: [...wider].map(rule) };
}

function hasWiderRule([name = "", subcommand = "", ...more]: readonly string[]): boolean {
  const unsaying = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  return unsaying !== undefined && more.length > 0 && !subcommand.startsWith("-") && !unsaying.includes(subcommand);
}

const literalGlob = (path: string): string => path.replace(/[*?[\]{}!\\]/g, "\\$&");
