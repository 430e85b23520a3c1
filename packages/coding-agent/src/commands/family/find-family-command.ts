import { valueCount } from "../../cli/args.ts";
import { FLAGS } from "../../cli/flags.ts";
import { foreignFlag } from "../../cli/foreign-flags.ts";
import { FAMILY_WORDS, isMovedCommand } from "./family-words.ts";

/** A subcommand of another program and its arguments, without the options before it unless it takes them. */
export interface FamilyCommand {
  name: string;
  argv: readonly string[];
}

/** Commands of oh-my-pi that take the same options as a start without a command. */
const STARTS: readonly string[] = ["launch", "acp"];

/** Finds the subcommand in the arguments of a program of the family. Subcommands must never reach a model as a message. */
export function findFamilyCommand(argv: readonly string[], dialect: string | undefined): FamilyCommand | undefined {
  const words = dialect !== undefined && Object.hasOwn(FAMILY_WORDS, dialect) ? FAMILY_WORDS[dialect] : undefined;
  if (dialect === undefined || words === undefined) return undefined;
  const at = firstWord(argv);
  const name = argv[at];
  if (name === undefined) return undefined;
  const known = at === 0 ? words.first : words.afterOptions;
  if (!known.includes(name) && !isMovedCommand(argv, dialect)) return undefined;
  const options = STARTS.includes(name) ? argv.slice(0, at) : [];
  return { name, argv: [...options, ...argv.slice(at + 1)] };
}

/** Returns the index of the first argument that is neither an option nor the value of one. */
function firstWord(argv: readonly string[]): number {
  let at = 0;
  for (let arg = argv[at]; arg?.startsWith("-"); arg = argv[at]) {
    if (arg === "--") return argv.length;
    at += 1 + valuesAfter(arg, argv[at + 1]);
  }
  return at;
}

function valuesAfter(option: string, next: string | undefined): number {
  if (option.includes("=")) return 0;
  return valueCount(option, next, FLAGS) ?? (foreignFlag(option.slice(2))?.takesValue ? 1 : 0);
}
