/** A table with one key per option; a missing option is a compile error. */
export type OptionNames<O> = { readonly [K in keyof Required<O>]: unknown };

/**
 * Throws a TypeError if an option is not in the table. JavaScript callers have no compiler to catch a misspelled name, and ignoring
 * `permissions` or `budget` would allow more than intended.
 */
export function refuseUnknownOptions(options: object, names: object, what = "an option"): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    const known = Object.keys(names).sort();
    const near = known.filter((other) => beginning(other) === beginning(name));
    const help = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are: ${known.join(", ")}`;
    throw new TypeError(`${name} is not ${what}. ${help}`);
  }
}

const beginning = (name: string) => name.slice(0, 4).toLowerCase();
