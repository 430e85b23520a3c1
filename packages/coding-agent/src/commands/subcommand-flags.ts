import { ON_CONFLICT, PERMISSION_MODES, SANDBOX_MODES } from "@pintle/wire";
import type { FlagTable, GivenValues } from "../cli/flag-table.ts";
import type { Environment } from "../config/keys/environment.ts";

/** The input of a subcommand. */
export interface SubcommandCall<T extends FlagTable = FlagTable> {
  flags: GivenValues<T>;
  words: readonly string[];
  env: Environment;
  /** Aborted when the process is asked to end. */
  ending: AbortSignal;
}

/** The input of the subcommand with this name; the types of its flags derive from their rows. */
export type CallOf<N extends keyof typeof SUBCOMMAND_FLAGS> = SubcommandCall<(typeof SUBCOMMAND_FLAGS)[N]>;

/** Flags of subcommands that work in a directory and with its sessions. */
const DIRECTORY_FLAGS = {
  cwd: { kind: "value", value: "<dir>", help: "work in this directory" },
  "session-dir": { kind: "value", value: "<dir>", help: "directory for session files" },
} as const satisfies FlagTable;

/** Flags that locate a server. */
export const SERVER_FLAGS = {
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

/** The flags of each subcommand, apart from `--help`. */
export const SUBCOMMAND_FLAGS = {
  sessions: {
    all: { kind: "switch", short: "a", help: "list sessions in all directories" },
    limit: { kind: "value", value: "<n>", help: "maximum number to list (default: 50; 0 for all)" },
    json: { kind: "switch", help: "print a JSON array; without --limit, of all sessions" },
    ...DIRECTORY_FLAGS,
  },
  undo: {
    session: {
      kind: "value",
      value: "<id>",
      help: "session: an id or its beginning, a name or a path (default: the newest of this directory)",
    },
    to: {
      kind: "value",
      value: "<id>",
      help: "go back to before this user message or checkpoint, or to another entry (default: before the last run)",
    },
    files: { kind: "value", value: "<a,b>", help: "only these files, separated by commas" },
    "on-conflict": {
      kind: "value",
      value: "<choice>",
      choices: ON_CONFLICT,
      help: "what to do with files that something else has changed since (default: refuse)",
    },
    "dry-run": { kind: "switch", help: "print what would change, and change nothing" },
    redo: { kind: "switch", help: "bring back what was taken back last" },
    list: { kind: "switch", help: "list the checkpoints, newest first" },
    json: { kind: "switch", help: "print one JSON line" },
    ...DIRECTORY_FLAGS,
  },
  models: {
    json: { kind: "switch", help: "print a JSON object with the models as hosts see them" },
    offline: { kind: "switch", help: "do not query model servers" },
  },
  doctor: {
    json: { kind: "switch", help: "print a JSON object" },
    offline: { kind: "switch", help: "do not probe for local servers" },
    ...DIRECTORY_FLAGS,
  },
  serve: {
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
    ...DIRECTORY_FLAGS,
    "strict-host": { kind: "switch", help: "turn host mistakes into failed responses, for testing a host" },
    set: {
      kind: "list",
      value: "<key>=<value>",
      help: "override a setting for the server and its sessions; repeatable",
    },
  },
  web: {
    open: { kind: "switch", help: "open the page in your browser" },
    listen: {
      kind: "value",
      value: "<host:port>",
      help: "address to listen on (default: 127.0.0.1 and a free port)",
    },
    ...DIRECTORY_FLAGS,
    set: {
      kind: "list",
      value: "<key>=<value>",
      help: "override a setting for the server and its sessions; repeatable",
    },
  },
  acp: {
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
    ...DIRECTORY_FLAGS,
    set: { kind: "list", value: "<key>=<value>", help: "override a setting for all sessions; repeatable" },
  },
  submit: {
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
  jobs: {
    ...SERVER_FLAGS,
    status: { kind: "value", value: "<status>", help: "only queued, running, done, failed or cancelled jobs" },
    limit: { kind: "value", value: "<n>", help: "maximum number to list (default: 50)" },
    json: { kind: "switch", help: "print JSON objects" },
  },
  simulate: {
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
  help: {},
  completions: {},
  compat: { install: { kind: "value", value: "<dir>", help: "write the launcher to this directory" } },
} as const satisfies Readonly<Record<string, FlagTable>>;
