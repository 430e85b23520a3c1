/** Returns the fields that are not undefined. */
export function definedIn<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Keeps the types of the fields, which `Object.fromEntries` cannot express.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
