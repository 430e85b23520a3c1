/**
 * Returns whether a variable's name matches a pattern in which `*` matches any characters. Case is ignored. Takes linear time,
 * because a project may supply the pattern.
 */
export function matchesName(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.toUpperCase().split("*");
  const text = name.toUpperCase();
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
