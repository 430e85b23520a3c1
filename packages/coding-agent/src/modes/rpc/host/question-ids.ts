/** Returns an id for a frame. With `isShared`, several hosts may be asked, so others must not be able to guess it. */
export type NewId = (prefix: string, isShared: boolean) => string;

/** `ui_1`, `ui_2`, … */
export function countedIds(): NewId {
  const counts = new Map<string, number>();
  return (prefix) => {
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    return `${prefix}_${count}`;
  };
}

/** Returns random ids for questions that a gateway may send to several hosts, and counted ids for the rest. */
export function questionIds(): NewId {
  const counted = countedIds();
  return (prefix, isShared) => (isShared ? `${prefix}_${crypto.randomUUID()}` : counted(prefix, isShared));
}
