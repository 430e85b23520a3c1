import { visiblePath } from "../files/visible-path.ts";

// Whole: whoever is asked may want to open it.
export { visiblePath };

const MAX_LENGTH = 200;

/** The same with an end, for a name. */
export function visibleName(name: string): string {
  const clean = visiblePath(name);
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean;
}
