/** Content that is shown folded and can be unfolded. */
export interface Fold {
  readonly title: string;
  /** Returns all of the content so far. */
  text(): string;
  /** Whether it is shown in full. */
  isOpen: boolean;
}

/** Older content can only be read in the session. */
const MAX_FOLDS = 100;

/** Folded content, the newest last. */
export class Folds {
  #folds: Fold[] = [];
  /** Whether new content is shown in full. */
  areOpen = false;

  add(title: string, text: () => string): Fold {
    const fold = { title, text, isOpen: this.areOpen };
    this.#folds.push(fold);
    if (this.#folds.length > MAX_FOLDS) this.#folds.shift();
    return fold;
  }

  /** Removes a fold that has no more content than is shown. */
  remove(fold: Fold): void {
    this.#folds = this.#folds.filter((other) => other !== fold);
  }

  /** Returns the newest fold that is not open. */
  newest(): Fold | undefined {
    return this.#folds.findLast(({ isOpen }) => !isOpen);
  }
}
