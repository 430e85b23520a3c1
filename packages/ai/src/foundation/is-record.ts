/** Returns whether a value is an object with named members, as in JSON. Arrays are not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
