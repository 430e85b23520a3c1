import type { Feature } from "./profile.ts";
import type { Trial } from "./trial.ts";

/** One rule of the contract, and how an agent is seen to keep it. */
export interface Check {
  /** `group/what`: unique, for reports and `--only`. */
  name: string;
  rule: string;
  /** Where in the reference. */
  see: string;
  /** Skipped for an agent that does not declare it. */
  needs?: Feature;
  run(trial: Trial): Promise<void>;
}

/** In pintle's documentation. */
const REFERENCE = "docs/rpc.md";
export const linkOf = ({ see }: Pick<Check, "see">) => `${REFERENCE}#${see}`;

type Row = [what: string, rule: string, run: (trial: Trial) => Promise<void>, needs?: Feature];

/** Checks of one topic: they share the place in the reference. */
export function group(name: string, see: string, rows: readonly Row[]): Check[] {
  return rows.map(([what, rule, run, needs]) => ({ name: `${name}/${what}`, rule, see, run, ...(needs && { needs }) }));
}
