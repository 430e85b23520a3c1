import { existsSync } from "node:fs";
import { join } from "node:path";

export interface RulePlaces {
  cwd: string;
  home: string;
}

export interface RulePlace {
  directory: string;
  /** Links in the folder must not lead out of this directory. */
  root?: string;
}

/** Returns the existing folders with rules; the first rule with a name wins. Runs at every start, so it loads nothing. */
export function findRulePlaces({ cwd, home }: RulePlaces): RulePlace[] {
  const places = [
    { directory: join(cwd, ".pintle", "rules"), root: cwd },
    { directory: join(home, "rules") },
    { directory: join(cwd, ".cursor", "rules"), root: cwd }, // rules of another program
  ];
  return places.filter(({ directory }) => existsSync(directory));
}
