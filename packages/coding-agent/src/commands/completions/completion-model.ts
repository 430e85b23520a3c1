import type { Flag, FlagTable } from "../../cli/flag-table.ts";
import { FLAGS } from "../../cli/flags.ts";
import { flagsOf, SUBCOMMANDS } from "../subcommands.ts";

/** How the value of an option is completed. */
export type ValueKind = { choices: readonly string[] } | "file" | "directory" | "free";

export interface CompletedOption {
  /** Names as typed: `-p`, `--print`. */
  names: readonly string[];
  help: string;
  isRepeatable: boolean;
  /** Undefined if the option takes no value. */
  value?: ValueKind;
  isValueOptional: boolean;
}

/** What can follow the program or one of its subcommands. */
export interface CompletedCommand {
  help: string;
  options: readonly CompletedOption[];
  words: readonly string[];
}

export interface CompletionModel {
  program: CompletedCommand;
  subcommands: Readonly<Record<string, CompletedCommand>>;
}

/** Returns everything that can be completed, from the tables of the command line. */
export function completionModel(): CompletionModel {
  const rows = Object.entries(SUBCOMMANDS);
  const subcommands = rows.map(([name, row]): [string, CompletedCommand] => {
    const words = name === "help" ? rows.map(([other]) => other) : (row.wordChoices ?? []);
    return [name, { help: row.help, options: optionsOf(flagsOf(row)), words }];
  });
  return {
    program: { help: "", options: optionsOf(FLAGS), words: rows.map(([name]) => name) },
    subcommands: Object.fromEntries(subcommands),
  };
}

function optionsOf(table: FlagTable): CompletedOption[] {
  return Object.entries(table).map(([name, flag]) => {
    const { short, aliases = [], help, kind } = flag;
    const names = [...(short === undefined ? [] : [`-${short}`]), ...[name, ...aliases].map((long) => `--${long}`)];
    const isRepeatable = kind === "list";
    const isValueOptional = kind === "optional";
    const option = { names, help, isRepeatable, isValueOptional };
    return kind === "switch" ? option : { ...option, value: valueKind(flag) };
  });
}

function valueKind({ choices, value = "" }: Flag): ValueKind {
  if (choices) return { choices };
  if (value.includes("dir")) return "directory";
  return /path|file/.test(value) ? "file" : "free";
}
