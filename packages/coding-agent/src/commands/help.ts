import type { Flag, FlagTable } from "../cli/flag-table.ts";
import { FLAGS } from "../cli/flags.ts";
import { FOREIGN_FLAGS } from "../cli/foreign-flags.ts";
import { printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { CallOf } from "./subcommand-flags.ts";
import { findSubcommand, flagsOf, SUBCOMMANDS } from "./subcommands.ts";

export async function run({ words }: CallOf<"help">): Promise<number> {
  const [word, ...more] = words;
  if (more.length > 0) throw new UsageError("pintle help takes one subcommand");
  if (word === undefined) return printUsage();
  const name = findSubcommand(word);
  if (name === undefined) throw new UsageError(`there is no subcommand "${word}"`);
  return printSubcommandHelp(name);
}

export async function printUsage(): Promise<number> {
  await printText(usageText());
  return 0;
}

export async function printSubcommandHelp(name: string): Promise<number> {
  const row = SUBCOMMANDS[name]!;
  await printText(
    `Usage: ${["pintle", name, "[options]", row.words].join(" ").trimEnd()}\n\n${row.help}\n\n${flagList(flagsOf(row), "Options")}`,
  );
  return 0;
}

export function usageText(): string {
  return `Usage: pintle [options] [@file…] [message…]
       pintle <subcommand> …

${columns([
  ["pintle", "start a session in the terminal"],
  ['pintle -p "list the files"', "answer one message and exit"],
  ["pintle --mode rpc", "speak JSON lines over stdin and stdout, for programs (also: rpc-ui)"],
])}
Subcommands (only as the first argument; pintle help <subcommand> shows the options)
${columns(Object.entries(SUBCOMMANDS).map(([name, { words, help }]) => [`${name} ${words}`, help] as const))}
${flagList(FLAGS, "Options")}
Accepted for compatibility with pi and omp, without effect
${foreignNames()}`;
}

function foreignNames(): string {
  const names = Object.entries(FOREIGN_FLAGS).filter(([, { refusal }]) => refusal === undefined);
  return wrapped(names.map(([name]) => `--${name}`));
}

/** Wraps words into indented lines of a readable width. */
function wrapped(words: readonly string[]): string {
  const lines = [""];
  for (const word of words) {
    if (`${lines.at(-1)} ${word}`.length > 100) lines.push("");
    lines.push(`${lines.pop()} ${word}`);
  }
  return lines.map((line) => ` ${line}\n`).join("");
}

/** Formats rows of two aligned columns. */
function columns(rows: readonly (readonly [left: string, right: string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
}

/** Lists the flags of a table under their headings, in the order of the table. */
function flagList(table: FlagTable, heading: string): string {
  const rows = Object.entries(table);
  const width = Math.max(...rows.map(([name, flag]) => flagName(name, flag).length));
  const groups = Map.groupBy(rows, ([, { group }]) => group ?? heading);
  return [...groups]
    .map(([group, flags]) => {
      const list = flags.map(([name, flag]) => [flagName(name, flag).padEnd(width), helpText(flag)] as const);
      return `${group}\n${columns(list)}`;
    })
    .join("\n");
}

/** Includes all names of the flag, because hosts look for the one they know before they use it. */
function helpText({ help, aliases = [] }: Flag): string {
  return aliases.length === 0 ? help : `${help} (also ${aliases.map((name) => `--${name}`).join(", ")})`;
}

function flagName(name: string, { short, value }: Flag): string {
  return `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
}
