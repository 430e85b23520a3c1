/**
 * Returns the string that a value should be. An object has none: its `toString` may be a string, and calling it would
 * throw.
 */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null || typeof value === "object" ? "" : String(value);
}
