import { isSlipOf } from "@pintle/agent";
import { PERMISSION_MODES, SANDBOX_MODES } from "@pintle/wire";
import { longNames, parseArguments, unknownOption } from "../cli/args.ts";
import type { FlagTable, GivenValues } from "../cli/flag-table.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Environment } from "../config/keys/environment.ts";

/** What a subcommand is started with. */
export interface SubcommandCall<T extends FlagTable> {
  flags: GivenValues<T>;
  words: readonly string[];
  env: Environment;
  /** Aborted when the process is asked to end. */
  ending: AbortSignal;
}

export interface Subcommand<T extends FlagTable = FlagTable> {
  /** Other names that call it; only its own is shown. */
  aliases?: readonly string[];
  /** Flags that it does not know are passed by: they are meant for another program. */
  takesAnyFlags?: true;
  /** Its words in the usage line. */
  words: string;
  /** What its first word can be, if that is known. */
  wordChoices?: readonly string[];
  /** One line for the list of subcommands. */
  help: string;
  flags: T;
  /** A signal that asks it to end is how it normally ends: the exit code is its own, not that of the signal. */
  endsBySignal?: true;
  /** Its code is loaded when it is called. */
  load(): Promise<{ run(call: SubcommandCall<T>): Promise<number> }>;
}

/** How a server is reached. */
const SERVER_FLAGS = {
  server: {
    kind: "value",
    value: "<url|socket>",
    help: "where the server is: its address, or the path of its socket (PINTLE_SERVER)",
  },
  "token-file": {
    kind: "value",
    value: "<file>",
    help: "its token; else PINTLE_SERVE_TOKEN, or behind # in the address",
  },
} as const satisfies FlagTable;

/** A word of this table is a subcommand only as the first argument; everywhere else it belongs to a message. */
export const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  sessions: subcommand({
    words: "[query]",
    help: "list the stored sessions of this directory, newest first; the query is words of name, first message or id",
    flags: {
      all: { kind: "switch", short: "a", help: "of all directories" },
      limit: { kind: "value", value: "<n>", help: "at most so many (50; 0: all)" },
      json: { kind: "switch", help: "an array of objects, all of them when no limit is given" },
      cwd: { kind: "value", value: "<dir>", help: "change to this directory first" },
      "session-dir": { kind: "value", value: "<dir>", help: "where sessions are stored" },
    },
    load: () => import("./sessions.ts"),
  }),
  models: subcommand({
    words: "[list] [search]",
    help: "list the models that can be used now",
    flags: {
      json: { kind: "switch", help: "an object with the models as hosts see them" },
      offline: { kind: "switch", help: "model servers are not asked" },
    },
    load: () => import("./list-models.ts"),
  }),
  doctor: subcommand({
    words: "",
    help: "show what there is (directories, keys, models and their servers, permissions, sandbox, trust, MCP servers, native parts) and what does not work; 1: something is broken",
    flags: {
      json: { kind: "switch", help: "one object instead of lines" },
      offline: { kind: "switch", help: "local servers are not looked for" },
      cwd: { kind: "value", value: "<dir>", help: "change to this directory first" },
      "session-dir": { kind: "value", value: "<dir>", help: "where sessions are stored" },
    },
    load: () => import("./doctor.ts"),
  }),
  serve: subcommand({
    words: "",
    help: "serve many sessions to many hosts: over stdin and stdout, a unix socket, or WebSocket with a token; see docs/serving.md",
    endsBySignal: true,
    flags: {
      stdio: { kind: "switch", help: "the parent is a host, over stdin and stdout; the server ends with it" },
      socket: {
        kind: "value",
        value: "<path>",
        help: "listen on a unix socket, in a directory that is this user's alone",
      },
      listen: {
        kind: "value",
        value: "<host:port>",
        help: "listen for WebSocket and HTTP (127.0.0.1 and any free port, when no other way is named)",
      },
      web: {
        kind: "switch",
        help: "show sessions in a browser: a page at the address that is printed; see docs/live-page.md",
      },
      "token-file": {
        kind: "value",
        value: "<file>",
        help: "the token that hosts show (mode 600); else PINTLE_SERVE_TOKEN, else one at random that is printed",
      },
      "public-host": {
        kind: "list",
        value: "<host>",
        help: "a name by which a proxy or other machines reach the server; may be repeated",
      },
      root: {
        kind: "list",
        value: "<dir>",
        help: "a directory that sessions may work in (the current one); may be repeated",
      },
      store: {
        kind: "value",
        value: "<url>",
        help: "share sessions with other nodes in PostgreSQL (postgres://…); else PINTLE_SERVE_STORE, which `ps` does not show",
      },
      "store-listen": {
        kind: "value",
        value: "<url>",
        help: "with serve.storePooler: the database itself, for notifications (LISTEN); else PINTLE_SERVE_STORE_LISTEN",
      },
      "cluster-token-file": {
        kind: "value",
        value: "<file>",
        help: "with --store: the token that nodes show each other (mode 600), the same on all of them and not that of hosts",
      },
      "node-address": {
        kind: "value",
        value: "<host:port>",
        help: "with --cluster-token-file: where other nodes reach this one (what it listens on)",
      },
      "session-dir": { kind: "value", value: "<dir>", help: "where sessions are stored" },
      cwd: { kind: "value", value: "<dir>", help: "change to this directory first" },
      set: {
        kind: "list",
        value: "<key>=<value>",
        help: "one setting for the server and its sessions; may be repeated",
      },
    },
    load: () => import("./serve.ts"),
  }),
  web: subcommand({
    words: "",
    help: "show the sessions of this directory in a browser: serve --web, until ctrl-c; see docs/live-page.md",
    endsBySignal: true,
    flags: {
      open: { kind: "switch", help: "open the page in the browser of this machine" },
      listen: { kind: "value", value: "<host:port>", help: "where to listen (127.0.0.1 and any free port)" },
      "session-dir": { kind: "value", value: "<dir>", help: "where sessions are stored" },
      cwd: { kind: "value", value: "<dir>", help: "change to this directory first" },
      set: {
        kind: "list",
        value: "<key>=<value>",
        help: "one setting for the server and its sessions; may be repeated",
      },
    },
    load: () => import("./web.ts"),
  }),
  acp: subcommand({
    words: "",
    help: "speak the Agent Client Protocol with an editor over stdin and stdout; see docs/editors.md",
    endsBySignal: true,
    flags: {
      model: { kind: "value", value: "<pattern>", help: "the model that new sessions begin with" },
      permissions: {
        kind: "value",
        value: "<preset>",
        choices: PERMISSION_MODES,
        help: "the preset that sessions begin with (workspace, unless the settings say otherwise)",
      },
      sandbox: {
        kind: "value",
        value: "<mode>",
        choices: SANDBOX_MODES,
        help: "where the model's commands run (auto: by the preset, unless the settings say otherwise)",
      },
      login: { kind: "switch", help: "ask for the key of a provider, in a terminal, and store it" },
      "session-dir": { kind: "value", value: "<dir>", help: "where sessions are stored" },
      cwd: { kind: "value", value: "<dir>", help: "change to this directory first" },
      set: { kind: "list", value: "<key>=<value>", help: "one setting for all sessions; may be repeated" },
    },
    load: () => import("./acp.ts"),
  }),
  submit: subcommand({
    words: "<prompt>",
    help: "put a prompt into the queue of a server (pintle serve --store) and print the id of the job; without words it is read from stdin; see docs/serving.md",
    flags: {
      ...SERVER_FLAGS,
      wait: { kind: "switch", help: "wait for the end and print the answer; 0: done, 1: failed, 3: cancelled" },
      json: { kind: "switch", help: "an object instead of text" },
      cwd: { kind: "value", value: "<dir>", help: "where it works, on the node that runs it" },
      model: { kind: "value", value: "<provider/id>", help: "the model of its session" },
      name: { kind: "value", value: "<text>", help: "the name of its session" },
      label: { kind: "list", value: "<label>", help: "what a node must have to run it; may be repeated" },
      set: { kind: "list", value: "<key>=<value>", help: "one setting of its session; may be repeated" },
      deadline: { kind: "value", value: "<time>", help: "when it must be done: 90s, 10m, 2h from now" },
      attempts: { kind: "value", value: "<n>", help: "how often it may be begun when nodes are lost (2)" },
      priority: { kind: "value", value: "<n>", help: "-1000 to 1000 (0); nodes take the highest first" },
    },
    load: () => import("./submit.ts"),
  }),
  jobs: subcommand({
    words: "[list | show <id> | cancel <id>]",
    wordChoices: ["list", "show", "cancel"],
    help: "the jobs of a server: all of them, what came of one, or take one out of the queue",
    flags: {
      ...SERVER_FLAGS,
      status: { kind: "value", value: "<status>", help: "only queued, running, done, failed or cancelled ones" },
      limit: { kind: "value", value: "<n>", help: "at most so many (50)" },
      json: { kind: "switch", help: "objects instead of text" },
    },
    load: () => import("./jobs.ts"),
  }),
  simulate: subcommand({
    words: "<file|name>",
    help: "play an agent from a script, for tests of hosts: frames, pauses, faults, without a model; see docs/testing-your-host.md",
    takesAnyFlags: true,
    flags: {
      list: { kind: "switch", help: "the scenarios that come with the program" },
      print: { kind: "switch", help: "print the scenario as a file, to change it" },
      patience: { kind: "value", value: "<ms>", help: "how long a frame of the host is waited for (30000)" },
      listen: { kind: "value", value: "<host:port>", help: "play a gateway, over WebSocket; port 0 is any free one" },
      socket: { kind: "value", value: "<path>", help: "play a gateway, over a unix socket" },
      capture: {
        kind: "value",
        value: "<file>",
        help: "run the agent behind -- for the host, and write what was said as a scenario",
      },
    },
    load: () => import("./simulate.ts"),
  }),
  help: subcommand({
    words: "[subcommand]",
    help: "what a subcommand does, or all options",
    flags: {},
    load: () => import("./help.ts"),
  }),
  completions: subcommand({
    aliases: ["completion"],
    words: "<bash|zsh|fish>",
    wordChoices: ["bash", "zsh", "fish"],
    help: "print the completions for a shell",
    flags: {},
    load: () => import("./completions.ts"),
  }),
  compat: subcommand({
    words: "<pi|omp>",
    wordChoices: ["pi", "omp"],
    help: "print a launcher with the name of pi or omp, so that their clients start pintle",
    flags: { install: { kind: "value", value: "<dir>", help: "write the launcher into this directory" } },
    load: () => import("./compat.ts"),
  }),
};

/** Checks that the code of a row takes the flags of the row. */
function subcommand<const T extends FlagTable>(row: Subcommand<T>): Subcommand {
  // In the table the rows have one type; `runSubcommand` gives each the flags that were parsed with its own table.
  return row as unknown as Subcommand;
}

/** The subcommand that a word names. */
export function findSubcommand(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  if (Object.hasOwn(SUBCOMMANDS, word)) return word;
  return Object.keys(SUBCOMMANDS).find((name) => SUBCOMMANDS[name]?.aliases?.includes(word));
}

/** One word, a letter beside a subcommand: sending it to a model would cost money and not help. */
export function refuseSlip(argv: readonly string[]): void {
  const [word] = argv;
  if (word === undefined || argv.length > 1) return;
  const meant = Object.keys(SUBCOMMANDS).find((name) => isSlipOf(word, name));
  if (meant === undefined) return;
  throw new UsageError(`there is no subcommand "${word}" (did you mean ${meant}?); pintle -p ${word} sends the word`);
}

const HELP_FLAG = { help: { kind: "switch", short: "h", help: "print this text" } } as const satisfies FlagTable;

/** The flags of a subcommand, and the one that all have. */
export function flagsOf({ flags }: Subcommand): FlagTable {
  return { ...flags, ...HELP_FLAG };
}

/** Gives the exit code. */
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
