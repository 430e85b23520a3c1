/** ripgrep's name for the files that a glob selects; no type of its own is called like this. */
const SELECTED = "pintleselection";

/**
 * Lets ripgrep leave out files that a glob cannot mean, as far as their names tell; globFilter does the rest. Not with its
 * `--glob`: that would bring back files that .gitignore leaves out. Several types mean any of them, so this cannot be combined
 * with another one.
 */
export function nameSelection(glob: string): string[] {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  const isAboutNames = name === glob || (name !== "" && name !== "**" && hasWholeBraces(name));
  return isAboutNames && !glob.startsWith("!") ? [`--type-add=${SELECTED}:${name}`, `--type=${SELECTED}`] : [];
}

/** Braces may hold slashes, as in `{a/x,b/y}.ts`, and then the last slash is no place to cut. */
function hasWholeBraces(name: string): boolean {
  return name.split("{").length === name.split("}").length;
}
