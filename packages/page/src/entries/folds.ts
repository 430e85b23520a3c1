/** What can be opened and closed in all entries at once. */
export type FoldKind = "thinking" | "tool";

export interface Folds {
  /** How one that is built now begins. */
  isOpen(kind: FoldKind, byDefault: boolean): boolean;
  /** Opens all, or closes all when they were opened so before. Gives whether they are open now. */
  toggle(kind: FoldKind): boolean;
}

/** Only the built ones are touched: the others are built as the reader wants them by then, so that none has to be built for this. */
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
