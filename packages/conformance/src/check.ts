import type { Feature } from "./profile.ts";
import type { Trial } from "./trial.ts";

/** One rule of the contract, and how to check that an agent keeps it. */
export interface Check {
  /** `group/what`: unique, for reports and `--only`. */
  name: string;
  rule: string;
  /** The section of the reference. */
  see: string;
  /** Skipped for agents that do not declare it. */
  needs?: Feature;
  run(trial: Trial): Promise<void>;
}

/** In pintle's documentation. */
const REFERENCE = "docs/rpc.md";
export const linkOf = ({ see }: Pick<Check, "see">) => `${REFERENCE}#${see}`;

type Row = [what: string, rule: string, run: (trial: Trial) => Promise<void>, needs?: Feature];

/** Checks of one topic share a section of the reference. */
export function group(name: string, see: string, rows: readonly Row[]): Check[] {
  return rows.map(([what, rule, run, needs]) => ({ name: `${name}/${what}`, rule, see, run, ...(needs && { needs }) }));
}
