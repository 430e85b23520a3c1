import { nearNames } from "@pintle/agent";
import type { Flag, FlagTable, GivenValues } from "./flag-table.ts";
import { UsageError } from "./usage-error.ts";

export interface Arguments<T extends FlagTable> {
  flags: GivenValues<T>;
  /** Arguments that are not flags, in order, including `@file`. */
  words: string[];
  /** Long flags that are not in the table but may belong to an extension. The word after one may be its value. */
  unknown: Map<string, string | true | { next: string }>;
  /** Indexes of the words that follow such a flag. */
  following: { flag: string; index: number }[];
}

type Named = readonly [name: string, flag: Flag];

/** Parses `--name value`, `--name=value` and `-n value`. `--` ends the flags. */
export function parseArguments<T extends FlagTable>(argv: readonly string[], table: T): Arguments<T> {
  const { byName, byShort } = namesOf(table);
  const flags: Record<string, unknown> = {};
  const words: string[] = [];
  const unknown: Arguments<T>["unknown"] = new Map();
  const following: Arguments<T>["following"] = [];
  const rest = [...argv];
  const isOption = (arg: string) =>
    arg.startsWith("--") ? byName.has(arg.slice(2)) : arg.startsWith("-") && byShort.has(arg.slice(1));
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === "--") {
      words.push(...rest.splice(0));
    } else if (arg.startsWith("--")) {
      const [name, inline] = splitInline(arg.slice(2));
      const known = byName.get(name);
      if (known) setFlag(flags, known, inline, rest, isOption);
      else {
        const next = inline === undefined && rest[0] !== undefined && !isFlag(rest[0]) ? rest[0] : undefined;
        unknown.set(name, inline ?? (next === undefined ? true : { next }));
        if (next !== undefined) following.push({ flag: name, index: words.length });
      }
    } else if (isFlag(arg)) {
      const [name, inline] = splitInline(arg.slice(1));
      const known = byShort.get(name);
      if (!known) throw new UsageError(unknownShort(name, [...byName.keys()]));
      setFlag(flags, known, inline, rest, isOption);
    } else {
      words.push(arg);
    }
  }
  return { flags: flags as GivenValues<T>, words, unknown, following };
}

/** Returns how many of the arguments after an option are its values, or undefined if the table does not have the option. */
export function valueCount(option: string, next: string | undefined, table: FlagTable): number | undefined {
  const { byName, byShort } = namesOf(table);
  const [, flag] = (option.startsWith("--") ? byName.get(option.slice(2)) : byShort.get(option.slice(1))) ?? [];
  if (flag === undefined) return undefined;
  if (flag.kind === "optional") return next !== undefined && !next.startsWith("-") ? 1 : 0;
  return flag.kind === "switch" ? 0 : 1;
}

/** Returns the words that are messages, once it is known which flags take a value. */
export function wordsBeside(
  { words, following }: Pick<Arguments<FlagTable>, "words" | "following">,
  takesWord: (flag: string) => boolean,
): string[] {
  const taken = new Set(following.filter(({ flag }) => takesWord(flag)).map(({ index }) => index));
  return words.filter((_, index) => !taken.has(index));
}

function unknownShort(name: string, longNames: readonly string[]): string {
  return name.length === 1 ? `unknown option -${name}` : unknownOption(`-${name}`, name, longNames);
}

/** Returns the error text for an unknown option, with the option that was probably meant. */
export function unknownOption(written: string, name: string, known: readonly string[]): string {
  const [near] = nearNames(name, known);
  return `unknown option ${written}${near === undefined ? "" : ` (did you mean --${near}?)`}`;
}

/** Returns all long names of a table. */
export function longNames(table: FlagTable): string[] {
  return Object.entries(table).flatMap(([name, { aliases = [] }]) => [name, ...aliases]);
}

function namesOf(table: FlagTable) {
  const byName = new Map<string, Named>();
  const byShort = new Map<string, Named>();
  for (const named of Object.entries(table)) {
    const [name, { aliases = [], short }] = named;
    for (const long of [name, ...aliases]) byName.set(long, named);
    if (short !== undefined) byShort.set(short, named);
  }
  return { byName, byShort };
}

function isFlag(arg: string): boolean {
  return arg.startsWith("-") && arg.length > 1;
}

function setFlag(
  flags: Record<string, unknown>,
  [name, flag]: Named,
  inline: string | undefined,
  rest: string[],
  isOption: (arg: string) => boolean,
): void {
  if (flag.kind === "switch") {
    if (inline !== undefined) throw new UsageError(`--${name} takes no value`);
    flags[name] = true;
    return;
  }
  if (flag.kind === "optional") {
    const next = rest[0];
    const value = inline ?? (next !== undefined && !next.startsWith("-") ? rest.shift()! : true);
    if (value === "" && !flag.mayBeEmpty) throw new UsageError(`--${name} needs a value ${flag.value}`);
    flags[name] = value;
    return;
  }
  // A word that is itself an option is not a value: the user forgot the value, and with it perhaps a restriction.
  const isForgotten = inline === undefined && rest[0] !== undefined && isOption(rest[0]);
  const value = isForgotten ? undefined : (inline ?? rest.shift());
  if (value === undefined || (value === "" && !flag.mayBeEmpty)) {
    throw new UsageError(`--${name} needs a value ${flag.value}`);
  }
  if (flag.kind === "list") flags[name] = [...((flags[name] as string[] | undefined) ?? []), value];
  else flags[name] = value;
}

function splitInline(text: string): [string, string | undefined] {
  const at = text.indexOf("=");
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
