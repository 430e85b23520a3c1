/** The fields that have a value. */
export function definedIn<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // The types of the fields are kept, which a list of entries cannot say.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
