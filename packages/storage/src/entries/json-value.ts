/**
 * Returns a value that should be a string as a string. Ignores objects: their `toString` may itself be a string, and
 * calling it would throw.
 */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null || typeof value === "object" ? "" : String(value);
}
