/** Makes the id of a frame. `isShared`: more than one host can be asked, so that no other may guess it. */
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

/** Random for questions that several hosts of a gateway can be asked, counted for the rest. */
export function questionIds(): NewId {
  const counted = countedIds();
  return (prefix, isShared) => (isShared ? `${prefix}_${crypto.randomUUID()}` : counted(prefix, isShared));
}
