// Every start loads this file with the declarations, so keep it small.

/** Returns the headline of a search. */
export function searchHeadline(pattern: unknown, path: unknown): string | undefined {
  if (typeof pattern !== "string") return undefined;
  return typeof path === "string" && path !== "" ? `${pattern} in ${path}` : pattern;
}

/** Returns the items if the value is a list: a call may contain anything. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the string in a field, if there is one: a call may contain anything. */
export function textField(value: unknown, name: string): string | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  const text: unknown = Reflect.get(value, name);
  return typeof text === "string" ? text : undefined;
}
