/** Source of new ids. */
export interface IdSource {
  /** 8 hexadecimal characters. */
  entry(): string;
  /** Unique without a check. */
  session(): string;
}

export const randomIds: IdSource = {
  entry: () => crypto.getRandomValues(new Uint8Array(4)).toHex(),
  session: () => Bun.randomUUIDv7(),
};

const MAX_COLLISIONS = 100;

export function freshEntryId(ids: IdSource, isTaken: (id: string) => boolean): string {
  for (let collisions = 0; collisions < MAX_COLLISIONS; collisions += 1) {
    const id = ids.entry();
    if (!isTaken(id)) return id;
  }
  return ids.session();
}

/**
 * Returns an id for an entry that has none in the file. It derives from the seed, because entries appended later refer to it
 * as their parent while the file itself still has no such id: the next load must find the same one.
 */
export function derivedEntryId(seed: string, isTaken: (id: string) => boolean): string {
  for (let attempt = 0; ; attempt += 1) {
    const id = new Bun.CryptoHasher("sha256").update(`${seed}#${attempt}`).digest("hex").slice(0, 8);
    if (!isTaken(id)) return id;
  }
}
