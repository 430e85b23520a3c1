import { isRecord } from "@pintle/ai";
import { readAllowedPlace } from "@pintle/foundation";
import type { PermissionRule } from "@pintle/wire";
import { readRules } from "../../permissions/rules/read-rules.ts";

/** The values that a setting accepts. */
export interface SettingType<T> {
  /** Completes the sentence "key must be …", and is the type on the reference page. */
  readonly expected: string;
  /** Returns undefined if the input is not such a value. The result is frozen and shares nothing with the input. */
  read(input: unknown): { value: T | undefined } | undefined;
  /** True if its values are strings, so that `--set defaultModel=7` is the string "7". */
  readonly isText?: true;
  /** Combines layers, for values that accumulate; all others replace. */
  merge?(lower: T, higher: T): T;
}

export type StringList = readonly string[];
export type Entries<T> = Readonly<Record<string, T>>;

/** Shared by all rows with an empty default, and frozen, so that a default cannot be changed. */
export const NO_ITEMS: StringList = Object.freeze([]);
export const NO_ENTRIES: Entries<never> = Object.freeze(Object.create(null));

export const flag: SettingType<boolean> = {
  expected: "true or false",
  read: (input) => (typeof input === "boolean" ? { value: input } : undefined),
};

interface Range {
  min?: number;
  max?: number;
}

export function integer(range: Range): SettingType<number> {
  return numeric("an integer", range, Number.isSafeInteger);
}

export function number(range: Range): SettingType<number> {
  return numeric("a number", range, Number.isFinite);
}

function numeric(what: string, { min, max }: Range, isOfKind: (input: number) => boolean): SettingType<number> {
  const isInRange = (value: number) => value >= (min ?? -Infinity) && value <= (max ?? Infinity);
  return {
    expected: `${what}${rangeText(min, max)}`,
    read: (input) => (typeof input === "number" && isOfKind(input) && isInRange(input) ? { value: input } : undefined),
  };
}

function rangeText(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? "" : ` of at most ${max}`;
}

/** A wait for the host, which always ends: there is no value for "no limit". */
export const hostDeadline = integer({ min: 1_000, max: 86_400_000 });
export const delayMs = integer({ min: 0, max: 86_400_000 });
export const count = integer({ min: 0 });
/** A longer timer would fire immediately. */
export const MAX_TIMER_SECONDS = 2_147_483;

/** An empty string means "none", so that a stronger layer can remove the value of a weaker one. */
export const text: SettingType<string> = {
  expected: "a string",
  isText: true,
  read: (input) => (typeof input === "string" ? { value: input === "" ? undefined : input } : undefined),
};

export function oneOf<const T extends string>(...choices: T[]): SettingType<T> {
  return {
    expected: choices.join(" or "),
    isText: true,
    read(input) {
      const value = choices.find((choice) => choice === input);
      return value === undefined ? undefined : { value };
    },
  };
}

export const strings: SettingType<StringList> = {
  expected: "a list of strings",
  read: (input) => (isStringList(input) ? { value: Object.freeze([...input]) } : undefined),
};

/** A list that no layer can shorten: each layer adds to the weaker ones. */
export const growingStrings: SettingType<StringList> = {
  ...strings,
  expected: "a list of strings, added to that of weaker layers",
  merge: (lower, higher) => Object.freeze([...new Set([...lower, ...higher])]),
};

/** See network/allow-list.ts for the entries of a list. */
export const networkAccess: SettingType<"on" | "off" | StringList> = {
  expected: "on, off or a list of hosts such as example.com, *.example.com, example.com:8443 or 10.0.0.5:8080",
  isText: true,
  read(input) {
    if (!isStringList(input)) return oneOf("on", "off").read(input);
    return input.every((entry) => readAllowedPlace(entry)) ? { value: Object.freeze([...input]) } : undefined;
  },
};

/** Permission rules; see read-rules.ts for their fields. */
export const permissionRules: SettingType<readonly PermissionRule[]> = {
  expected: "a list of rules, each with an effect and a subject",
  read: (input) => {
    try {
      return { value: Object.freeze(readRules(input).map((rule) => Object.freeze(rule))) };
    } catch {
      return undefined;
    }
  },
};
export const NO_RULES: readonly PermissionRule[] = Object.freeze([]);

export const stringEntries = entries<string>(
  "an object whose values are strings",
  (value) => typeof value === "string",
  (value) => value,
);

export const stringListEntries = entries<StringList>(
  "an object whose values are lists of strings",
  isStringList,
  (value) => Object.freeze([...value]),
);

/** Names with a meaning in JavaScript itself. No role, model or agent has such a name, and copying them is dangerous. */
const UNSAFE_NAMES: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** An object whose names the user chooses. Layers merge by name. */
function entries<T>(
  expected: string,
  isValue: (value: unknown) => value is T,
  copy: (value: T) => T,
): SettingType<Entries<T>> {
  return {
    expected,
    read: (input) => {
      if (!isRecord(input)) return undefined;
      const members = Object.entries(input).filter(([name]) => !UNSAFE_NAMES.has(name));
      if (!members.every((member): member is [string, T] => isValue(member[1]))) return undefined;
      return { value: frozenEntries(members.map(([name, value]) => [name, copy(value)])) };
    },
    merge: (lower, higher) => frozenEntries([...Object.entries(lower), ...Object.entries(higher)]),
  };
}

/** Creates an object without a prototype, so that looking up a user's name never finds a JavaScript built-in. */
function frozenEntries<T>(members: readonly (readonly [string, T])[]): Entries<T> {
  const object: Record<string, T> = Object.create(null);
  for (const [name, value] of members) object[name] = value;
  return Object.freeze(object);
}

function isStringList(input: unknown): input is StringList {
  return Array.isArray(input) && input.every((item) => typeof item === "string");
}
