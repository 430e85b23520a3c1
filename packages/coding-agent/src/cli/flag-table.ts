import type { CreateAgentSessionOptions } from "../sdk/options.ts";

/** What a row may want to know about the start it takes part in. */
export interface StartFacts {
  isRpc: boolean;
  warn(text: string): void;
}

/** How a flag takes its value; `list` may be given several times. */
export interface FlagValues {
  switch: true;
  value: string;
  optional: string | true;
  list: string[];
}

interface FlagRow<K extends keyof FlagValues> {
  kind: K;
  /** Heading in the usage text. */
  group?: string;
  /** One letter, or a few: `-p`, `-nt`. */
  short?: string;
  /** Further long names. */
  aliases?: readonly string[];
  /** How its value is shown; one that names a file or directory is completed as such. */
  value?: string;
  /** The empty text says something: nothing, none. Elsewhere it is a variable of a script that was not set. */
  mayBeEmpty?: boolean;
  /** All values there are. */
  choices?: readonly string[];
  help: string;
  /** What it sets for the session; rows without it are read by the command they belong to. */
  option?(value: FlagValues[K], start: StartFacts): CreateAgentSessionOptions;
}

export type Flag = { [K in keyof FlagValues]: FlagRow<K> }[keyof FlagValues];
export type ValueFlag = FlagRow<"value">;
export type FlagTable = Readonly<Record<string, Flag>>;

/** The values that a command line gave to the flags of a table. */
export type GivenValues<T extends FlagTable> = { [N in keyof T]?: FlagValues[T[N]["kind"]] };
