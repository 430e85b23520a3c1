export interface Fold {
  title: string;
  /** All of it. */
  text: string;
}

/** So many can be unfolded; older ones are in the session. */
const MAX_FOLDS = 100;

/** What was shown in short, the newest last. */
export class Folds {
  #folds: Fold[] = [];

  add(fold: Fold): void {
    this.#folds.push(fold);
    if (this.#folds.length > MAX_FOLDS) this.#folds.shift();
  }

  /** The newest that was not taken yet. */
  take(): Fold | undefined {
    return this.#folds.pop();
  }
}
