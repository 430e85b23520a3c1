import type { CreateAgentSessionOptions } from "../sdk/options.ts";

/** Facts about the start that a row may need. */
export interface StartFacts {
  isRpc: boolean;
  warn(text: string): void;
}

/** How a flag takes its value. A `list` flag is repeatable. */
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
  /** The short name of one or a few letters, as in `-p` and `-nt`. */
  short?: string;
  /** Additional long names. */
  aliases?: readonly string[];
  /** Placeholder of the value in the usage text. Completion completes files and directories accordingly. */
  value?: string;
  /**
   * Whether an empty value is valid and means "none". For other flags it is an error, because a script probably used an
   * unset variable.
   */
  mayBeEmpty?: boolean;
  /** All valid values. */
  choices?: readonly string[];
  help: string;
  /** Sets its session options. Rows without it are read by the command that they belong to. */
  option?(value: FlagValues[K], start: StartFacts): CreateAgentSessionOptions;
}

export type Flag = { [K in keyof FlagValues]: FlagRow<K> }[keyof FlagValues];
export type FlagTable = Readonly<Record<string, Flag>>;

/** The values of a table's flags on a command line. */
export type GivenValues<T extends FlagTable> = { [N in keyof T]?: FlagValues[T[N]["kind"]] };
