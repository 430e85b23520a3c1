import { dirname, isAbsolute, join } from "node:path";
import { hasFixedArguments } from "./fixed-arguments.ts";
import type { JudgedRequest } from "./request.ts";
import type { Rule } from "./rule.ts";
import { argvAsPattern } from "./rules/argv-pattern.ts";

export interface Suggestions {
  /** Rules that together allow the same request again, and as little else as possible. */
  narrow: Rule[];
  /** Wider rules that the user may prefer. */
  wide: Rule[];
}

const NOTHING: Suggestions = { narrow: [], wide: [] };

/**
 * Returns rules that would make the question unnecessary the next time. Returns none for an opaque command, which no rule can
 * name, for a program that runs its input, and for a command that leaves the sandbox, because no rule allows that.
 */
export function suggestRules({ request, reading }: Pick<JudgedRequest, "request" | "reading">): Suggestions {
  const { command, paths = [], tool, kind, origin, escalation } = request;
  if (escalation !== undefined) return NOTHING;
  if (command) {
    const { programs } = command;
    if (programs === "opaque" || !programs.every(hasFixedArguments)) return NOTHING;
    // Read-only programs need no rule, unless the question is about nothing else.
    const others = programs.filter((_, index) => !reading?.readOnlyPrograms[index]);
    return commandRules(others.length > 0 ? others : programs);
  }
  if (origin !== "builtin") return { narrow: [{ effect: "allow", tool, origin }], wide: [] };
  const reals = [...new Set(paths.map(({ real }) => real))];
  if (!reals.every(isAbsolute)) return NOTHING; // a host URI, which no file glob matches
  const folders = [...new Set(reals.map((real) => join(literalGlob(dirname(real)), "**")))];
  return {
    narrow: reals.map((real) => ({ effect: "allow", kind, path: literalGlob(real) })),
    wide: folders.map((path) => ({ effect: "allow", kind, path })),
  };
}

/** Returns the rules in the order in which they are offered: those for this project first, then global ones, narrow ones first. */
export function offeredRules(judged: Pick<JudgedRequest, "request" | "reading">, project: string): Rule[] {
  const { narrow, wide } = suggestRules(judged);
  const everywhere = [...narrow, ...wide];
  return [...everywhere.map((rule): Rule => ({ ...rule, project })), ...everywhere];
}

/**
 * Programs and subcommands for which a wider rule is safe, whatever follows. `git fetch *` is not: `--upload-pack` names a
 * program. `npm run *` takes code in `--node-options`, `cargo test *` takes a runner, `git log *` writes with `--output`.
 */
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  git: "add branch checkout commit mv reset restore rm stash status switch tag".split(" "),
};

function commandRules(programs: readonly string[][]): Suggestions {
  const patterns = new Set(programs.map(argvAsPattern));
  const wider = new Set(programs.filter(hasWiderRule).map((argv) => `${argvAsPattern(argv.slice(0, 2))} *`));
  const rule = (command: string): Rule => ({ effect: "allow", command });
  return { narrow: [...patterns].map(rule), wide: [...wider].map(rule) };
}

function hasWiderRule([name = "", subcommand = "", ...more]: readonly string[]): boolean {
  const saying = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name] : undefined;
  return more.length > 0 && saying?.includes(subcommand) === true;
}

const literalGlob = (path: string): string => path.replace(/[*?[\]{}!\\]/g, "\\$&");
