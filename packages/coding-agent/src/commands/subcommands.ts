import { isSlipOf } from "@pintle/agent";
import { PERMISSION_MODES, SANDBOX_MODES } from "@pintle/wire";
import { longNames, parseArguments, unknownOption } from "../cli/args.ts";
import type { FlagTable, GivenValues } from "../cli/flag-table.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Environment } from "../config/keys/environment.ts";

/** The input of a subcommand. */
export interface SubcommandCall<T extends FlagTable> {
  flags: GivenValues<T>;
  words: readonly string[];
  env: Environment;
  /** Aborted when the process is asked to end. */
  ending: AbortSignal;
}

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
  /** Whether a signal is its normal end. The exit code is then its own, not the signal's. */
  endsBySignal?: true;
  /** Loads its code when it is called. */
  load(): Promise<{ run(call: SubcommandCall<T>): Promise<number> }>;
}

/** Flags that locate a server. */
const SERVER_FLAGS = {
  server: {
    kind: "value",
    value: "<url|socket>",
    help: "address or socket path of the server (default: PINTLE_SERVER)",
  },
  "token-file": {
    kind: "value",
    value: "<file>",
    help: "file with the server's token (default: PINTLE_SERVE_TOKEN, or the part after # in the address)",
  },
} as const satisfies FlagTable;

/** All subcommands. A name in this table is a subcommand only as the first argument; elsewhere it is part of a message. */
export const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = {
  sessions: subcommand({
    words: "[query]",
    help: "list stored sessions in this directory, newest first; search by name, first message or id",
    flags: {
      all: { kind: "switch", short: "a", help: "list sessions in all directories" },
      limit: { kind: "value", value: "<n>", help: "maximum number to list (default: 50; 0 for all)" },
      json: { kind: "switch", help: "print a JSON array; without --limit, of all sessions" },
      cwd: { kind: "value", value: "<dir>", help: "work in this directory" },
      "session-dir": { kind: "value", value: "<dir>", help: "directory for session files" },
    },
    load: () => import("./sessions.ts"),
  }),
  models: subcommand({
    words: "[list] [search]",
    help: "list the available models",
    flags: {
      json: { kind: "switch", help: "print a JSON object with the models as hosts see them" },
      offline: { kind: "switch", help: "do not query model servers" },
    },
    load: () => import("./list-models.ts"),
  }),
  doctor: subcommand({
    words: "",
    help: "check your setup: directories, keys, models, permissions, sandbox, trust and MCP servers; exits with 1 if something is broken",
    flags: {
      json: { kind: "switch", help: "print a JSON object" },
      offline: { kind: "switch", help: "do not probe for local servers" },
      cwd: { kind: "value", value: "<dir>", help: "work in this directory" },
      "session-dir": { kind: "value", value: "<dir>", help: "directory for session files" },
    },
    load: () => import("./doctor.ts"),
  }),
  serve: subcommand({
    words: "",
    help: "serve many sessions to many hosts over stdio, a Unix socket or WebSocket; see docs/serving.md",
    endsBySignal: true,
    flags: {
      stdio: {
        kind: "switch",
        help: "serve the parent process over stdin and stdout; the server ends when stdin closes",
      },
      socket: {
        kind: "value",
        value: "<path>",
        help: "listen on a Unix socket in a directory that only this user can access",
      },
      listen: {
        kind: "value",
        value: "<host:port>",
        help: "listen for WebSocket and HTTP (default: 127.0.0.1 and a free port, if neither --stdio nor --socket is given)",
      },
      web: {
        kind: "switch",
        help: "also serve the live page and print its address; see docs/live-page.md",
      },
      "token-file": {
        kind: "value",
        value: "<file>",
        help: "file with the token that hosts must present (mode 600); default: PINTLE_SERVE_TOKEN, or a random token, which is printed",
      },
      "public-host": {
        kind: "list",
        value: "<host>",
        help: "host name under which a proxy or other machines reach the server; repeatable",
      },
      "allow-origin": {
        kind: "list",
        value: "<origin>",
        help: "allow pages from this origin (http://localhost:* for any port); repeatable",
      },
      root: {
        kind: "list",
        value: "<dir>",
        help: "directory that sessions may work in (default: the current one); repeatable",
      },
      store: {
        kind: "value",
        value: "<url>",
        help: "share sessions with other nodes through PostgreSQL (postgres://…); default: PINTLE_SERVE_STORE, which `ps` does not show",
      },
      "store-listen": {
        kind: "value",
        value: "<url>",
        help: "with serve.storePooler: direct database address for notifications (LISTEN); default: PINTLE_SERVE_STORE_LISTEN",
      },
      "cluster-token-file": {
        kind: "value",
        value: "<file>",
        help: "with --store: file with the token that nodes present to each other (mode 600); the same on every node, different from the host token",
      },
      "node-address": {
        kind: "value",
        value: "<host:port>",
        help: "with --cluster-token-file: address at which other nodes reach this one (default: the --listen address)",
      },
      "session-dir": { kind: "value", value: "<dir>", help: "directory for session files" },
      cwd: { kind: "value", value: "<dir>", help: "work in this directory" },
      "strict-host": { kind: "switch", help: "turn host mistakes into failed responses, for testing a host" },
      set: {
        kind: "list",
        value: "<key>=<value>",
        help: "override a setting for the server and its sessions; repeatable",
      },
    },
    load: () => import("./serve.ts"),
  }),
  web: subcommand({
    words: "",
    help: "open the sessions of this directory in a browser, until you press ctrl-c; see docs/live-page.md",
    endsBySignal: true,
    flags: {
      open: { kind: "switch", help: "open the page in your browser" },
      listen: {
        kind: "value",
        value: "<host:port>",
        help: "address to listen on (default: 127.0.0.1 and a free port)",
      },
      "session-dir": { kind: "value", value: "<dir>", help: "directory for session files" },
      cwd: { kind: "value", value: "<dir>", help: "work in this directory" },
      set: {
        kind: "list",
        value: "<key>=<value>",
        help: "override a setting for the server and its sessions; repeatable",
      },
    },
    load: () => import("./web.ts"),
  }),
  acp: subcommand({
    words: "",
    help: "serve an editor over the Agent Client Protocol (stdin and stdout); see docs/editors.md",
    endsBySignal: true,
    flags: {
      model: { kind: "value", value: "<pattern>", help: "model for new sessions" },
      permissions: {
        kind: "value",
        value: "<preset>",
        choices: PERMISSION_MODES,
        help: "permission preset for new sessions (default: your setting, or workspace)",
      },
      sandbox: {
        kind: "value",
        value: "<mode>",
        choices: SANDBOX_MODES,
        help: "sandbox for the model's commands (default: your setting, or auto)",
      },
      login: { kind: "switch", help: "ask for a provider's API key in the terminal and store it" },
      "session-dir": { kind: "value", value: "<dir>", help: "directory for session files" },
      cwd: { kind: "value", value: "<dir>", help: "work in this directory" },
      set: { kind: "list", value: "<key>=<value>", help: "override a setting for all sessions; repeatable" },
    },
    load: () => import("./acp.ts"),
  }),
  submit: subcommand({
    words: "<prompt>",
    help: "queue a prompt on a server (pintle serve --store) and print the job id; reads stdin if no prompt is given; see docs/serving.md",
    flags: {
      ...SERVER_FLAGS,
      wait: {
        kind: "switch",
        help: "wait for the job and print the answer; exits with 0 (done), 1 (failed) or 3 (cancelled)",
      },
      json: { kind: "switch", help: "print a JSON object" },
      cwd: { kind: "value", value: "<dir>", help: "working directory on the node that runs the job" },
      model: { kind: "value", value: "<provider/id>", help: "model for the session" },
      name: { kind: "value", value: "<text>", help: "name of the session" },
      label: { kind: "list", value: "<label>", help: "label that a node needs to run the job; repeatable" },
      set: { kind: "list", value: "<key>=<value>", help: "override a setting for the session; repeatable" },
      deadline: { kind: "value", value: "<time>", help: "time limit from now: 90s, 10m, 2h" },
      attempts: { kind: "value", value: "<n>", help: "maximum number of starts if nodes are lost (default: 2)" },
      priority: { kind: "value", value: "<n>", help: "-1000 to 1000 (default: 0); higher runs first" },
    },
    load: () => import("./submit.ts"),
  }),
  jobs: subcommand({
    words: "[list | show <id> | cancel <id>]",
    wordChoices: ["list", "show", "cancel"],
    help: "list the jobs of a server, show one, or cancel one",
    flags: {
      ...SERVER_FLAGS,
      status: { kind: "value", value: "<status>", help: "only queued, running, done, failed or cancelled jobs" },
      limit: { kind: "value", value: "<n>", help: "maximum number to list (default: 50)" },
      json: { kind: "switch", help: "print JSON objects" },
    },
    load: () => import("./jobs.ts"),
  }),
  simulate: subcommand({
    words: "<file|name>",
    help: "simulate an agent from a script, without a model, for testing hosts; see docs/testing-your-host.md",
    takesAnyFlags: true,
    flags: {
      list: { kind: "switch", help: "list the built-in scenarios" },
      print: { kind: "switch", help: "print the scenario so that you can save and change it" },
      patience: { kind: "value", value: "<ms>", help: "how long to wait for a host frame (default: 30000)" },
      listen: {
        kind: "value",
        value: "<host:port>",
        help: "simulate a gateway over WebSocket (port 0 for any free port)",
      },
      socket: { kind: "value", value: "<path>", help: "simulate a gateway over a Unix socket" },
      capture: {
        kind: "value",
        value: "<file>",
        help: "run the agent given after -- and write its conversation with the host as a scenario",
      },
    },
    load: () => import("./simulate.ts"),
  }),
  help: subcommand({
    words: "[subcommand]",
    help: "show help for a subcommand, or all options",
    flags: {},
    load: () => import("./help.ts"),
  }),
  completions: subcommand({
    aliases: ["completion"],
    words: "<bash|zsh|fish>",
    wordChoices: ["bash", "zsh", "fish"],
    help: "print shell completions",
    flags: {},
    load: () => import("./completions.ts"),
  }),
  compat: subcommand({
    words: "<pi|omp>",
    wordChoices: ["pi", "omp"],
    help: "print a launcher named pi or omp, so that their clients start pintle",
    flags: { install: { kind: "value", value: "<dir>", help: "write the launcher to this directory" } },
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
