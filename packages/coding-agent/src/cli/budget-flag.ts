import { BUDGET_SCOPES, ON_BUDGET_REACHED, type Params } from "@pintle/wire";
import { UsageError } from "./usage-error.ts";

type Options = Params<"set_budget">;
type Units = Readonly<Record<string, number>>;

const COUNT: Units = { "": 1, k: 1e3, M: 1e6 };
/** Units of time. A bare number is in seconds. */
const TIME: Units = { "": 1e3, ms: 1, s: 1e3, m: 60e3, h: 3600e3 };
const MONEY: Units = { "": 1 };

/** One row per key of `--budget`. A row returns undefined for an invalid value. */
const WORDS: Readonly<Record<string, { expected: string; read(value: string): Options | undefined }>> = {
  cost: amount("costUsd", MONEY, "an amount in USD"),
  tokens: amount("tokens", COUNT, "a number, as 200000, 200k or 2M"),
  turns: amount("turns", COUNT, "a number"),
  time: amount("wallMs", TIME, "a time, as 600, 90s, 10m or 1h"),
  calls: amount("toolCalls", COUNT, "a number"),
  scope: word("scope", BUDGET_SCOPES),
  reached: word("onReached", ON_BUDGET_REACHED),
  unknown: word("costUnknown", ["ignore"]),
};

/** Parses `cost=2,turns=50`. Throws UsageError. */
export function readBudgetFlag(text: string, flag: string): Options {
  const options: Options = {};
  for (const part of text.split(",")) {
    const [name = "", value = ""] = part.split("=", 2).map((side) => side.trim());
    const row = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
    if (!row) throw new UsageError(`${flag}: unknown limit "${name}"; there are ${Object.keys(WORDS).join(", ")}`);
    const read = row.read(value);
    if (!read) throw new UsageError(`${flag}: ${name} must be ${row.expected}`);
    Object.assign(options, read);
  }
  return options;
}

function amount(limit: keyof Options, units: Units, expected: string) {
  return {
    expected,
    read(value: string): Options | undefined {
      const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)([a-zA-Z]*)$/.exec(value) ?? [];
      const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
      if (digits === "" || factor === undefined || Number(digits) === 0) return undefined;
      const total = Number(digits) * factor;
      return { [limit]: limit === "costUsd" ? total : Math.ceil(total) };
    },
  };
}

function word(field: keyof Options, words: readonly string[]) {
  return {
    expected: words.join(" or "),
    read: (value: string): Options | undefined => (words.includes(value) ? { [field]: value } : undefined),
  };
}
