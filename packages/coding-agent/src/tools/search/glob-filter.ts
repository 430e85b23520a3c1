import { isAbsolute } from "node:path";

/**
 * Whether a glob means a path, as people expect it: without a slash it is about names at any depth, with one about the path
 * from `root` or, because a model sees paths like that in results, from `cwd`.
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
