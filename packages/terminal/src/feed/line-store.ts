/** Final lines that wait to be taken. They are laid out on demand, once per width. */
export class LineStore {
  readonly #renders: ((width: number) => readonly string[])[] = [];
  #lines: string[] = [];
  #width = 0;
  #done = 0;

  add(render: (width: number) => readonly string[]): void {
    this.#renders.push(render);
  }

  lines(width: number): readonly string[] {
    if (this.#width !== width) {
      this.#lines = [];
      this.#done = 0;
      this.#width = width;
    }
    for (; this.#done < this.#renders.length; this.#done += 1) this.#lines.push(...this.#renders[this.#done]!(width));
    return this.#lines;
  }

  /** Removes the lines that `lines` last returned. */
  take(): void {
    this.#renders.splice(0, this.#done);
    this.#done = 0;
    this.#lines = [];
  }
}
