/** The parts that can be opened and closed in all entries at once. */
export type FoldKind = "thinking" | "tool";

export interface Folds {
  /** Initial state of newly built entries. */
  isOpen(kind: FoldKind, byDefault: boolean): boolean;
  /** Opens all, or closes all if this opened them before. Returns whether they are open now. */
  toggle(kind: FoldKind): boolean;
}

/** Changes only entries that are built; others get the state when they are built. */
export function createFolds(built: (kind: FoldKind) => Iterable<HTMLDetailsElement>): Folds {
  const wanted = new Map<FoldKind, boolean>();
  return {
    isOpen: (kind, byDefault) => wanted.get(kind) ?? byDefault,
    toggle(kind) {
      const isOpen = !(wanted.get(kind) ?? false);
      wanted.set(kind, isOpen);
      for (const details of built(kind)) details.open = isOpen;
      return isOpen;
    },
  };
}
