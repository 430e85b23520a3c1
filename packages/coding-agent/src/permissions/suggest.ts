import { dirname, join } from "node:path";
import type { PermissionRequest } from "./request.ts";
import type { Rule } from "./rule.ts";
import { argvAsPattern } from "./rules/argv-pattern.ts";

export interface Suggestions {
  /** Together they allow the same request again, and as little else as rules can say. */
  narrow: Rule[];
  /** Wider ones that a person may prefer. */
  wide: Rule[];
}

/** Rules that would make the question unnecessary the next time. None for what no rule can name, such as an opaque command. */
export function suggestRules(request: PermissionRequest): Suggestions {
  const { command, paths = [], tool, kind, origin } = request;
  if (command) return command.programs === "opaque" ? { narrow: [], wide: [] } : commandRules(command.programs);
  if (origin !== "builtin") return { narrow: [{ effect: "allow", tool, origin }], wide: [] };
  const reals = [...new Set(paths.map(({ real }) => real))];
  const folders = [...new Set(reals.map((real) => join(literalGlob(dirname(real)), "**")))];
  return {
    narrow: reals.map((real) => ({ effect: "allow", kind, path: literalGlob(real) })),
    wide: folders.map((path) => ({ effect: "allow", kind, path })),
  };
}

/** Programs whose second word says what is done. For others a wider rule would allow anything. */
const HAS_SUBCOMMANDS = new Set("bun cargo docker dotnet git go gradle kubectl make mvn npm pnpm yarn".split(" "));

function commandRules(programs: readonly string[][]): Suggestions {
  const patterns = new Set(programs.map(argvAsPattern));
  const wider = new Set(
    programs
      .filter(([name = "", , ...more]) => HAS_SUBCOMMANDS.has(name) && more.length > 0)
      .map((argv) => `${argvAsPattern(argv.slice(0, 2))} *`),
  );
  const rule = (command: string): Rule => ({ effect: "allow", command });
  return { narrow: [...patterns].map(rule), wide: [...wider].map(rule) };
}

const literalGlob = (path: string): string => path.replace(/[*?[\]{}!\\]/g, "\\$&");
