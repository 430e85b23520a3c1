/** Something that is shown in short. */
export interface Fold {
  readonly title: string;
  /** All of it, as far as it is there. */
  text(): string;
  /** Shown in full. */
  isOpen: boolean;
}

/** So many can be unfolded; older ones are in the session. */
const MAX_FOLDS = 100;

/** What is shown in short, the newest last. */
export class Folds {
  #folds: Fold[] = [];
  /** What comes from now on is shown in full at once. */
  areOpen = false;

  add(title: string, text: () => string): Fold {
    const fold = { title, text, isOpen: this.areOpen };
    this.#folds.push(fold);
    if (this.#folds.length > MAX_FOLDS) this.#folds.shift();
    return fold;
  }

  /** There is nothing more than what is shown. */
  remove(fold: Fold): void {
    this.#folds = this.#folds.filter((other) => other !== fold);
  }

  /** The newest that is not shown in full. */
  newest(): Fold | undefined {
    return this.#folds.findLast(({ isOpen }) => !isOpen);
  }
}
