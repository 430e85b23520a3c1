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
export const FAMILY_WORDS: Readonly<Record<string, { first: readonly string[]; afterOptions: readonly string[] }>> = {
  pi: { first: PI_WORDS, afterOptions: [] },
  omp: { first: [...PI_WORDS, ...OMP_COMMANDS], afterOptions: OMP_COMMANDS },
};

/** Whether oh-my-pi reads these arguments as a command that has moved, not as a message. */
export function isMovedCommand([word = "", ...rest]: readonly string[], dialect: string): boolean {
  if (dialect !== "omp" || !OMP_MOVED.includes(word)) return false;
  const [action = ""] = rest;
  if (action === "" || (word === "marketplace" && MARKETPLACE_ACTIONS.includes(action))) return true;
  return rest.some((arg) => !arg.startsWith("-") && arg.includes("@"));
}
