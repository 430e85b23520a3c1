import { valueCount } from "../../cli/args.ts";
import { FLAGS } from "../../cli/flags.ts";
import { foreignFlag } from "../../cli/foreign-flags.ts";

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

/** Subcommands of pi, as first words. */
const PI_WORDS = "auth config install list mcp remove uninstall update".split(" ");

/** Subcommands of oh-my-pi and their aliases. Its options may come before them. */
const OMP_COMMANDS = [
  "__complete acp agents auth-broker auth-gateway bench browser-relay cleanse clip collab commit completions compress config",
  "dry-balance find gallery gc git grep grievances if-bench images img install join launch login models play plugin plugins",
  "predict ps q read render say search setup share shell skill skills ssh stats stream tiny-models token toks ttsr update",
  "usage web-search worktree wt",
].flatMap((line) => line.split(" "));

/** Words that oh-my-pi refuses as the first argument unless a message follows, because their commands have moved. */
const OMP_MOVED = "disable discover enable extensions marketplace upgrade".split(" ");
const MARKETPLACE_ACTIONS = ["add", "list", "remove", "rm", "update"];

/** Words that are subcommands of each program as the first argument, and those that are also subcommands after options. */
const FAMILY_WORDS: Readonly<Record<string, { first: readonly string[]; afterOptions: readonly string[] }>> = {
  pi: { first: PI_WORDS, afterOptions: [] },
  omp: { first: [...PI_WORDS, ...OMP_COMMANDS], afterOptions: OMP_COMMANDS },
};

/** Whether oh-my-pi reads these arguments as a command that has moved, not as a message. */
function isMovedCommand([word = "", ...rest]: readonly string[], dialect: string): boolean {
  if (dialect !== "omp" || !OMP_MOVED.includes(word)) return false;
  const [action = ""] = rest;
  if (action === "" || (word === "marketplace" && MARKETPLACE_ACTIONS.includes(action))) return true;
  return rest.some((arg) => !arg.startsWith("-") && arg.includes("@"));
}
