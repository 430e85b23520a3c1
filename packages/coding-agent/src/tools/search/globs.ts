import { isAbsolute } from "node:path";

/**
 * Returns a test for the paths that a glob matches. A glob without a slash applies to names at any depth. One with a slash
 * applies to the path from `root` or from `cwd`, because results show such paths.
 */
export function globFilter(glob: string, { root, cwd }: { root: string; cwd: string }): (path: string) => boolean {
  const plain = glob.replace(/^(?:\.\/)+/, "");
  const matcher = new Bun.Glob(plain);
  if (!plain.includes("/")) return (path) => matcher.match(path.slice(path.lastIndexOf("/") + 1));
  if (isAbsolute(plain)) return (path) => matcher.match(path);
  const bases = root === cwd ? [root] : [root, cwd];
  const prefixes = bases.map((base) => (base.endsWith("/") ? base : `${base}/`));
  return (path) => prefixes.some((prefix) => path.startsWith(prefix) && matcher.match(path.slice(prefix.length)));
}

/** Name of the ripgrep file type for the selected files. ripgrep has no built-in type of this name. */
const SELECTED = "pintleselection";

/**
 * Lets ripgrep skip files whose names a glob cannot match; globFilter does the rest. `--glob` is not an alternative, because
 * it includes files that .gitignore excludes. Cannot be combined with another type, because ripgrep accepts files of any
 * given type.
 */
export function nameSelection(glob: string): string[] {
  const name = glob.slice(glob.lastIndexOf("/") + 1);
  const isAboutNames = name === glob || (name !== "" && name !== "**" && hasWholeBraces(name));
  return isAboutNames && !glob.startsWith("!") ? [`--type-add=${SELECTED}:${name}`, `--type=${SELECTED}`] : [];
}

/** Braces may contain slashes, as in `{a/x,b/y}.ts`. The part after the last slash is then not a name. */
function hasWholeBraces(name: string): boolean {
  return name.split("{").length === name.split("}").length;
}
