import { existsSync } from "node:fs";
import { join } from "node:path";

export interface RulePlaces {
  cwd: string;
  home: string;
}

export interface RulePlace {
  directory: string;
  /** A link in it must not lead out of this. */
  root?: string;
}

/** Folders with rules that exist; the first rule of a name wins. Checked at every start, so it loads nothing. */
export function findRulePlaces({ cwd, home }: RulePlaces): RulePlace[] {
  const places = [
    { directory: join(cwd, ".pintle", "rules"), root: cwd },
    { directory: join(home, "rules") },
    { directory: join(cwd, ".cursor", "rules"), root: cwd }, // a courtesy: those of another program
  ];
  return places.filter(({ directory }) => existsSync(directory));
}
