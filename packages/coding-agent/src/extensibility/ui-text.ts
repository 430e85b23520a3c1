/** Extensions are code of others: what they want to be shown need not be a text. */
export const toText = (value: unknown) => (typeof value === "string" ? value : String(value ?? ""));
