const MAX_LENGTH = 200;

/** A name from a project on a line of a terminal or a dialog: nothing in it moves the cursor, turns the text or hides. */
export function visibleName(name: string): string {
  const clean = visiblePath(name);
  return clean.length > MAX_LENGTH ? `${clean.slice(0, MAX_LENGTH)}…` : clean;
}

/** The same, but whole: whoever is asked may want to open it. */
export function visiblePath(path: string): string {
  return path.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, "?");
}
