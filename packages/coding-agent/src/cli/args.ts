/** How a flag takes its value. `list` may be given several times. */
type FlagKind = "switch" | "value" | "optional" | "list";

interface Flag {
  kind: FlagKind;
  short?: string;
  aliases?: readonly string[];
  value?: string;
  help: string;
  /** Accepted because hosts pass it; what it switches off or chooses does not exist here. */
  isIgnored?: boolean;
}

/** One row per flag; parsing and the usage text follow from it. */
export const FLAGS = {
  mode: { kind: "value", value: "<mode>", help: "text (default), json, rpc, or rpc-ui" },
  dialect: { kind: "value", value: "<name>", help: "rpc: event names of the seed protocol (default) or of pi" },
  print: { kind: "switch", short: "p", help: "answer the message and exit" },
  provider: { kind: "value", value: "<name>", help: "restrict --model to a provider" },
  model: { kind: "value", value: "<pattern>", help: "provider/id, id, or a part of it, optionally with :level" },
  models: { kind: "value", value: "<a,b:high>", help: "models to cycle through" },
  thinking: { kind: "value", value: "<level>", help: "off, minimal, low, medium, high, xhigh" },
  "api-key": { kind: "value", value: "<key>", help: "key for the selected provider, for this process" },
  "list-models": { kind: "optional", value: "[search]", help: "print the models that can be used and exit" },
  "system-prompt": { kind: "value", value: "<text|file>", help: "replaces the built-in system prompt" },
  "append-system-prompt": { kind: "list", value: "<text|file>", help: "added to the system prompt; may be repeated" },
  session: { kind: "value", value: "<path|id>", help: "open a session by its path or the beginning of its id" },
  continue: { kind: "switch", short: "c", help: "go on with the newest session of this directory" },
  resume: { kind: "optional", short: "r", value: "<id|path>", help: "the same as --session" },
  "session-id": { kind: "value", value: "<id>", help: "the session with exactly this id, new if there is none" },
  fork: { kind: "value", value: "<path|id>", help: "start with a copy of that session" },
  name: { kind: "value", value: "<text>", help: "name of the session" },
  "session-dir": { kind: "value", value: "<dir>", help: "where sessions are stored" },
  "no-session": { kind: "switch", help: "keep the session in memory" },
  "provider-session-id": { kind: "value", value: "<id>", help: "id sent to providers for their caches" },
  record: { kind: "value", value: "<dir>", help: "store every exchange with a model in this directory" },
  replay: { kind: "value", value: "<dir>", help: "answer from such a directory; needs no key and no network" },
  "replay-speed": { kind: "value", value: "<factor>", help: "with the recorded pauses, so many times as fast" },
  set: { kind: "list", value: "<key>=<value>", help: "one setting for this process; may be repeated" },
  tools: { kind: "value", short: "t", value: "<list>", help: "names of the tools to offer, with commas" },
  "no-tools": { kind: "switch", aliases: ["nt"], help: "no tools but those of the host" },
  "no-builtin-tools": { kind: "switch", aliases: ["nbt"], help: "only custom tools and those of the host" },
  extension: {
    kind: "list",
    short: "e",
    aliases: ["hook"],
    value: "<path>",
    help: "load this extension",
  },
  "no-extensions": { kind: "switch", aliases: ["ne"], help: "no extensions" },
  "custom-tool": { kind: "list", value: "<path>", help: "load the tools of this module; may be repeated" },
  skill: { kind: "list", value: "<path>", help: "load this skill" },
  skills: { kind: "value", value: "<globs>", help: "names of the skills to offer" },
  "prompt-template": { kind: "list", value: "<path>", help: "load this prompt template" },
  "no-skills": { kind: "switch", aliases: ["ns"], help: "no skills" },
  "no-prompt-templates": { kind: "switch", aliases: ["np"], help: "no prompt templates" },
  "no-mcp": { kind: "switch", help: "no MCP servers" },
  "no-context-files": { kind: "switch", aliases: ["nc"], help: "no context files" },
  approve: { kind: "switch", aliases: ["trust"], help: "code of this project may run (for this process)" },
  "no-approve": { kind: "switch", aliases: ["no-trust"], help: "code of this project never runs" },
  "no-rules": { kind: "switch", help: "no rules, neither the project's nor the user's" },
  "no-ui": { kind: "switch", help: "rpc: never send a dialog to the host" },
  offline: { kind: "switch", help: "no network but for model calls: local servers are not looked for" },
  cwd: { kind: "value", value: "<dir>", help: "change to this directory first" },
  export: {
    kind: "value",
    value: "<session> [file]",
    help: "write a session (path, or beginning of its id) as a page; exit",
  },
  redact: { kind: "switch", help: "export: mask what looks like a key or a password" },
  verbose: { kind: "switch", help: "say more on stderr" },
  help: { kind: "switch", short: "h", help: "print this text" },
  version: { kind: "switch", short: "v", help: "print the version" },

  "no-title": { kind: "switch", help: "no automatic title", isIgnored: true },
  "no-themes": { kind: "switch", help: "there are none", isIgnored: true },
  "no-lsp": { kind: "switch", help: "no language servers", isIgnored: true },
  "no-pty": { kind: "switch", help: "no pseudo terminals", isIgnored: true },
  "plugin-dir": { kind: "list", value: "<dir>", help: "there are no plugins", isIgnored: true },
  theme: { kind: "value", value: "<name>", help: "there are none", isIgnored: true },
  "allow-home": { kind: "switch", help: "the home directory is a directory like any other", isIgnored: true },
  smol: { kind: "value", value: "<model>", help: "model for small work", isIgnored: true },
  slow: { kind: "value", value: "<model>", help: "model for hard work", isIgnored: true },
  plan: { kind: "value", value: "<model>", help: "model for planning", isIgnored: true },
} as const satisfies Record<string, Flag>;

export type FlagName = keyof typeof FLAGS;
type FlagValue<N extends FlagName> = (typeof FLAGS)[N]["kind"] extends "switch"
  ? boolean
  : (typeof FLAGS)[N]["kind"] extends "list"
    ? string[]
    : (typeof FLAGS)[N]["kind"] extends "optional"
      ? string | true
      : string;

export interface Arguments {
  flags: { [N in FlagName]?: FlagValue<N> };
  /** Words that are no flags, in order; `@file` among them. */
  words: string[];
  /** Long flags nobody here knows, in case an extension does; with a word behind one it may be its value. */
  unknown: Map<string, string | true | { next: string }>;
  /** Which of the words stand behind such a flag. */
  following: { flag: string; index: number }[];
}

export class UsageError extends Error {}

const byName = new Map<string, [FlagName, Flag]>();
const byShort = new Map<string, [FlagName, Flag]>();
for (const [name, flag] of Object.entries(FLAGS) as [FlagName, Flag][]) {
  byName.set(name, [name, flag]);
  for (const alias of flag.aliases ?? []) (alias.length > 3 ? byName : byShort).set(alias, [name, flag]);
  if (flag.short) byShort.set(flag.short, [name, flag]);
}

/** `--name value`, `--name=value`, `-n value`; `--` ends the flags. Unknown long flags are kept: hosts and extensions add their own. */
export function parseArguments(argv: readonly string[]): Arguments {
  const flags: Record<string, unknown> = {};
  const words: string[] = [];
  const unknown: Arguments["unknown"] = new Map();
  const following: Arguments["following"] = [];
  const rest = [...argv];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      words.push(...rest.splice(0));
    } else if (arg.startsWith("--")) {
      const [name, inline] = splitInline(arg.slice(2));
      const known = byName.get(name);
      if (known) setFlag(flags, known, inline, rest);
      else {
        const next = inline === undefined && rest[0] !== undefined && !isFlag(rest[0]) ? rest[0] : undefined;
        unknown.set(name, inline ?? (next === undefined ? true : { next }));
        if (next !== undefined) following.push({ flag: name, index: words.length });
      }
    } else if (isFlag(arg)) {
      const [name, inline] = splitInline(arg.slice(1));
      const known = byShort.get(name);
      if (!known) throw new UsageError(`unknown option -${name}`);
      setFlag(flags, known, inline, rest);
    } else {
      words.push(arg);
    }
  }
  return { flags, words, unknown, following };
}

/** The words that are messages, now that it is known which flags take one. */
export function wordsBeside({ words, following }: Arguments, takesWord: (flag: string) => boolean): string[] {
  const taken = new Set(following.filter(({ flag }) => takesWord(flag)).map(({ index }) => index));
  return words.filter((_, index) => !taken.has(index));
}

function isFlag(arg: string): boolean {
  return arg.startsWith("-") && arg.length > 1;
}

function setFlag(
  flags: Record<string, unknown>,
  [name, flag]: [FlagName, Flag],
  inline: string | undefined,
  rest: string[],
): void {
  if (flag.kind === "switch") {
    if (inline !== undefined) throw new UsageError(`--${name} takes no value`);
    flags[name] = true;
    return;
  }
  if (flag.kind === "optional") {
    const next = rest[0];
    flags[name] = inline ?? (next !== undefined && !next.startsWith("-") ? rest.shift() : true);
    return;
  }
  const value = inline ?? rest.shift();
  if (value === undefined) throw new UsageError(`--${name} needs a value ${flag.value}`);
  if (flag.kind === "list") flags[name] = [...((flags[name] as string[] | undefined) ?? []), value];
  else flags[name] = value;
}

function splitInline(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

export function usageText(): string {
  const rows = (Object.entries(FLAGS) as [string, Flag][]).map(([name, flag]) => {
    const short = flag.short ? `-${flag.short}, ` : "";
    return { left: `${short}--${name}${flag.value ? ` ${flag.value}` : ""}`, flag };
  });
  const width = Math.max(...rows.map(({ left }) => left.length));
  const list = (ignored: boolean) =>
    rows
      .filter(({ flag }) => (flag.isIgnored ?? false) === ignored)
      .map(({ left, flag }) => `  ${left.padEnd(width)}  ${flag.help}`)
      .join("\n");
  return `Usage: pintle [options] [@file…] [message…]

  pintle -p "list the files"        answer and exit
  pintle --mode rpc                 JSON lines over stdin and stdout, for programs (also: rpc-ui)

Options
${list(false)}

Accepted for hosts that pass them; without effect so far
${list(true)}
`;
}
