/** What a host has said for all its sessions, a command each, by the type of the command. */
export type ConnectionWords = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The commands that change one into the other. */
export function changedWords(told: ConnectionWords, words: ConnectionWords): Record<string, unknown>[] {
  return Object.entries(words)
    .filter(([type, fields]) => JSON.stringify(told[type]) !== JSON.stringify(fields))
    .map(([type, fields]) => ({ ...fields, type }));
}
