import type { OptionNames } from "../core/option-names.ts";
import type { PermissionMode, RpcMethods, ThinkingLevel } from "../protocol.ts";

/** Options that become command-line flags. */
export interface FlagOptions {
  provider?: string;
  model?: string;
  thinking?: ThinkingLevel | "auto";
  /** API key for the chosen provider, for this process only. */
  apiKey?: string;
  sessionDir?: string;
  /** The start of an id, the name or the path of a stored session. */
  session?: string;
  /** Stores nothing. */
  noSession?: boolean;
  /** Replaces the built-in system prompt. */
  systemPrompt?: string;
  /** Appended to the system prompt. */
  appendSystemPrompt?: string | readonly string[];
  /** What tool calls may do without asking. */
  permissions?: PermissionMode;
  /** Where the model's commands run. */
  sandbox?: Parameters<RpcMethods["setSandboxMode"]>[0];
  /** Whether project code may run. Without it the stored consent decides. */
  trust?: boolean;
  /** Additional directories that belong to the workspace. */
  addDirs?: readonly string[];
  /** Settings by dotted key, for this process. */
  settings?: Readonly<Record<string, unknown>>;
  /** The built-in tools to offer, by name. */
  builtinTools?: readonly string[];
  /** Tools that are never offered, by name. */
  excludeTools?: readonly string[];
  /** Directory in which every exchange with a model is recorded. */
  record?: string;
  /** Directory of recorded exchanges that are replayed instead of calling a model. */
  replay?: string;
  /** Replay speed relative to the recording. */
  replaySpeed?: number;
  /** For tests: the server reports mistakes of the host as failures. Those that belong to no call go to `onProtocolError`. */
  strictHost?: boolean;
}

interface FlagRow<K extends keyof FlagOptions> {
  flags(value: NonNullable<FlagOptions[K]>): string[];
  /** Flags in `args` that would conflict with this option. Absent for flags that can be repeated. */
  excludes?: readonly string[];
}

const value = (flag: string, ...others: string[]) => ({
  flags: (given: string | number) => withValue(flag, String(given)),
  excludes: [flag, ...others],
});
const SESSION_CHOICES = ["--session", "--resume", "-r", "--continue", "-c", "--session-id", "--fork"];

/** One row per option, in argument order. */
const ROWS: { [K in keyof Required<FlagOptions>]: FlagRow<K> } = {
  provider: value("--provider"),
  model: value("--model"),
  thinking: value("--thinking"),
  apiKey: value("--api-key"),
  sessionDir: value("--session-dir"),
  session: value("--session", ...SESSION_CHOICES, "--no-session"),
  noSession: { flags: (isSet) => (isSet ? ["--no-session"] : []), excludes: SESSION_CHOICES },
  systemPrompt: { flags: (text) => withValue("--system-prompt", plainText(text)), excludes: ["--system-prompt"] },
  appendSystemPrompt: {
    flags: (texts) => [texts].flat().flatMap((text) => withValue("--append-system-prompt", plainText(text))),
  },
  permissions: value("--permissions"),
  sandbox: value("--sandbox"),
  trust: {
    flags: (isTrusted) => [isTrusted ? "--trust" : "--no-trust"],
    excludes: ["--trust", "-a", "--approve", "--no-trust", "-na", "--no-approve"],
  },
  addDirs: { flags: (directories) => directories.flatMap((directory) => withValue("--add-dir", directory)) },
  settings: {
    flags: (settings) => Object.entries(settings).flatMap(([key, set]) => ["--set", `${key}=${JSON.stringify(set)}`]),
  },
  builtinTools: {
    flags: (names) => withValue("--tools", names.join(",")),
    excludes: ["--tools", "-t", "--no-tools", "-nt", "--no-builtin-tools", "-nbt"],
  },
  excludeTools: {
    flags: (names) => withValue("--exclude-tools", names.join(",")),
    excludes: ["--exclude-tools", "-xt"],
  },
  record: value("--record"),
  replay: value("--replay"),
  replaySpeed: value("--replay-speed"),
  strictHost: { flags: (isStrict) => (isStrict ? ["--strict-host"] : []) },
};

export const FLAG_OPTION_NAMES: OptionNames<FlagOptions> = ROWS;

/** Options that are sent as commands instead, and the flags that conflict with them. */
const SENT: Readonly<Record<string, readonly string[]>> = {
  policy: ["--policy"],
  budget: ["--budget", "--max-time"],
  outputSchema: ["--output-schema"],
};

/** Returns the flags for the options. Throws a TypeError if an option conflicts with `args` or with another option. */
export function flagArgs(options: FlagOptions & { args?: readonly string[] }): string[] {
  const { args = [] } = options;
  if (options.noSession && options.session !== undefined) {
    throw new TypeError("The options session and noSession conflict; set only one of them");
  }
  const own = Object.entries(ROWS).flatMap(([name, row]) => {
    const given = options[name as keyof FlagOptions];
    if (given === undefined) return [];
    // Row and option have the same name.
    const flags = (row as FlagRow<keyof FlagOptions>).flags(given as never);
    if (flags.length > 0) refuseContradiction(name, flags, row.excludes ?? [], args);
    return flags;
  });
  for (const [name, flags] of Object.entries(SENT)) {
    if ((options as Record<string, unknown>)[name] !== undefined) refuseContradiction(name, [], flags, args);
  }
  refuseOtherSettings(options.settings ?? {}, args);
  return own;
}

/** A value that looks like a flag must be part of the same argument. */
function withValue(flag: string, given: string): string[] {
  return given.startsWith("-") ? [`${flag}=${given}`] : [flag, given];
}

/** Repeating a flag with the same value is not a conflict. */
function refuseContradiction(
  name: string,
  own: readonly string[],
  excludes: readonly string[],
  args: readonly string[],
): void {
  for (const [index, arg] of args.entries()) {
    const [flag = "", ...rest] = arg.split("=");
    if (!excludes.includes(flag)) continue;
    const isSame = own[0] === arg && (own.length < 2 || own[1] === args[index + 1]);
    const isSameInOne = own.length === 2 && own[0] === flag && own[1] === rest.join("=");
    if (!isSame && !isSameInOne) throw new TypeError(`The option ${name} conflicts with args (${flag})`);
  }
}

function refuseOtherSettings(settings: Readonly<Record<string, unknown>>, args: readonly string[]): void {
  for (const text of valuesOf("--set", args)) {
    const at = text.indexOf("=");
    const key = text.slice(0, at).trim();
    if (!Object.hasOwn(settings, key)) continue;
    const own = settings[key];
    const isSame = text.slice(at + 1) === JSON.stringify(own) || text.slice(at + 1) === own;
    if (!isSame) throw new TypeError(`The option settings["${key}"] conflicts with args (--set)`);
  }
}

function valuesOf(flag: string, args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    if (arg === flag) return [args[index + 1] ?? ""];
    return arg.startsWith(`${flag}=`) ? [arg.slice(flag.length + 1)] : [];
  });
}

/** The program treats a value that names a file, or starts with @, as that file; a line break prevents that. */
function plainText(text: string): string {
  if (text === "") return text;
  return text.startsWith("@") ? `\n${text}` : `${text}\n`;
}
