/** The text of what should be one. An object has none: its `toString` may be a text, and would throw. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null || typeof value === "object" ? "" : String(value);
}
