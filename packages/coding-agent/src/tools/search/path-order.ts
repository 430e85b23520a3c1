/** Compares like `rg --sort path`: by component, so that the files of a directory stay together. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

const SLASH = 0x2f;

function rank(code: number): number {
  return code === SLASH ? -1 : code;
}
