import { isSlipOf } from "@pintle/agent";
import { longNames, parseArguments, unknownOption } from "../cli/args.ts";
import type { FlagTable } from "../cli/flag-table.ts";
import { UsageError } from "../cli/usage-error.ts";
import { SUBCOMMAND_FLAGS, type SubcommandCall } from "./subcommand-flags.ts";

export interface Subcommand<T extends FlagTable = FlagTable> {
  /** Other names for it, which the help does not show. */
  aliases?: readonly string[];
  /** Whether it ignores unknown flags, because they are meant for another program. */
  takesAnyFlags?: true;
  /** Its arguments in the usage line. */
  words: string;
  /** Possible first arguments, if they are known. */
  wordChoices?: readonly string[];
  /** One line for the list of subcommands. */
  help: string;
  flags: T;
  /** Whether a signal ends it normally. It then sets the exit code itself instead of reporting the signal. */
  endsBySignal?: true;
  /** Loads its code when it is called. */
  load(): Promise<{ run(call: SubcommandCall<T>): Promise<number> }>;
}

/** All subcommands. A name in this table is a subcommand only as the first argument; elsewhere it is part of a message. */
export const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  sessions: subcommand({
    words: "[query]",
    help: "list stored sessions in this directory, newest first; search by name, first message or id",
    flags: SUBCOMMAND_FLAGS.sessions,
    load: () => import("./sessions.ts"),
  }),
  undo: subcommand({
    words: "",
    help: "undo the file changes of the last run, or redo them; see docs/undo.md",
    flags: SUBCOMMAND_FLAGS.undo,
    load: () => import("./undo.ts"),
  }),
  models: subcommand({
    words: "[list] [search]",
    help: "list the available models",
    flags: SUBCOMMAND_FLAGS.models,
    load: () => import("./list-models.ts"),
  }),
  doctor: subcommand({
    words: "",
    help: "check your setup: directories, keys, models, permissions, sandbox, trust and MCP servers; exits with 1 if something is broken",
    flags: SUBCOMMAND_FLAGS.doctor,
    load: () => import("./doctor.ts"),
  }),
  serve: subcommand({
    words: "",
    help: "serve many sessions to many hosts over stdio, a Unix socket or WebSocket; see docs/serving.md",
    endsBySignal: true,
    flags: SUBCOMMAND_FLAGS.serve,
    load: () => import("./serve.ts"),
  }),
  web: subcommand({
    words: "",
    help: "open the sessions of this directory in a browser, until you press ctrl-c; see docs/live-page.md",
    endsBySignal: true,
    flags: SUBCOMMAND_FLAGS.web,
    load: () => import("./web.ts"),
  }),
  acp: subcommand({
    words: "",
    help: "serve an editor over the Agent Client Protocol (stdin and stdout); see docs/editors.md",
    endsBySignal: true,
    flags: SUBCOMMAND_FLAGS.acp,
    load: () => import("./acp.ts"),
  }),
  submit: subcommand({
    words: "<prompt>",
    help: "queue a prompt on a server (pintle serve --store) and print the job id; reads stdin if no prompt is given; see docs/serving.md",
    flags: SUBCOMMAND_FLAGS.submit,
    load: () => import("./submit.ts"),
  }),
  jobs: subcommand({
    words: "[list | show <id> | cancel <id>]",
    wordChoices: ["list", "show", "cancel"],
    help: "list the jobs of a server, show one, or cancel one",
    flags: SUBCOMMAND_FLAGS.jobs,
    load: () => import("./jobs.ts"),
  }),
  simulate: subcommand({
    words: "<file|name>",
    help: "simulate an agent from a script, without a model, for testing hosts; see docs/testing-your-host.md",
    takesAnyFlags: true,
    flags: SUBCOMMAND_FLAGS.simulate,
    load: () => import("./simulate.ts"),
  }),
  help: subcommand({
    words: "[subcommand]",
    help: "show help for a subcommand, or all options",
    flags: SUBCOMMAND_FLAGS.help,
    load: () => import("./help.ts"),
  }),
  completions: subcommand({
    aliases: ["completion"],
    words: "<bash|zsh|fish>",
    wordChoices: ["bash", "zsh", "fish"],
    help: "print shell completions",
    flags: SUBCOMMAND_FLAGS.completions,
    load: () => import("./completions.ts"),
  }),
  compat: subcommand({
    words: "<pi|omp>",
    wordChoices: ["pi", "omp"],
    help: "print a launcher named pi or omp, so that their clients start pintle",
    flags: SUBCOMMAND_FLAGS.compat,
    load: () => import("./compat.ts"),
  }),
};

/** Declares a subcommand, and checks that its code accepts its flags. */
function subcommand<const T extends FlagTable>(row: Subcommand<T>): Subcommand {
  // All rows have one type in the table. `runSubcommand` passes each row the flags parsed with its own table.
  return row as unknown as Subcommand;
}

/** Returns the subcommand with this name. */
export function findSubcommand(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  if (Object.hasOwn(SUBCOMMANDS, word)) return word;
  return Object.keys(SUBCOMMANDS).find((name) => SUBCOMMANDS[name]?.aliases?.includes(word));
}

/**
 * Refuses a single word that is one letter away from a subcommand, because sending it to a model would cost money and not
 * help.
 */
export function refuseSlip(argv: readonly string[]): void {
  const [word] = argv;
  if (word === undefined || argv.length > 1) return;
  const meant = Object.keys(SUBCOMMANDS).find((name) => isSlipOf(word, name));
  if (meant === undefined) return;
  throw new UsageError(`there is no subcommand "${word}" (did you mean ${meant}?); pintle -p ${word} sends the word`);
}

const HELP_FLAG = { help: { kind: "switch", short: "h", help: "print this help" } } as const satisfies FlagTable;

/** Returns the flags of a subcommand, including `--help`. */
export function flagsOf({ flags }: Subcommand): FlagTable {
  return { ...flags, ...HELP_FLAG };
}

/** Runs a subcommand and returns the exit code. */
export async function runSubcommand(
  name: string,
  argv: readonly string[],
  surroundings: Pick<SubcommandCall<FlagTable>, "env" | "ending">,
): Promise<number> {
  const row = SUBCOMMANDS[name]!;
  const { flags, words, unknown } = parseArguments(argv, flagsOf(row));
  if (flags.help !== undefined) {
    const { printSubcommandHelp } = await import("./help.ts");
    return printSubcommandHelp(name);
  }
  if (!row.takesAnyFlags)
    for (const flag of unknown.keys()) throw new UsageError(unknownOption(`--${flag}`, flag, longNames(flagsOf(row))));
  const { run } = await row.load();
  return run({ flags, words, ...surroundings });
}
