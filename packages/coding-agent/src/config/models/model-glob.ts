/** Whether a pattern is meant as a glob: `*`, `?` or `[…]`. */
export function isGlob(pattern: string): boolean {
  return /[*?]|\[[^\]]+\]/.test(pattern);
}

/** `*` spans slashes: model ids contain them, and they are no directories. Case does not matter. */
export function globToRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\[(!?)([^\]]+)\]|[\s\S]/g, (part, negated: string | undefined, set?: string) => {
    if (set !== undefined) return `[${negated ? "^" : ""}${set.replace(/[\\^[]/g, "\\$&")}]`;
    return GLOB_SIGNS[part] ?? part.replace(/[\\^$.|+(){}[\]/-]/g, "\\$&");
  });
  try {
    return new RegExp(`^${source}$`, "i");
  } catch {
    return MATCHES_NOTHING; // a set that is none, such as [z-a]
  }
}

const MATCHES_NOTHING = /(?!)/;
const GLOB_SIGNS: Record<string, string> = { "*": ".*", "?": "." };
