import type { ReportProblem } from "./config-file.ts";

/**
 * Collects problems with configuration files until it is clear which of them prevents the start, so that this one is
 * reported only once, as the reason.
 */
export class HeldReports {
  readonly #report: ReportProblem;
  #held: string[] | undefined = [];

  constructor(report: ReportProblem) {
    this.#report = report;
  }

  readonly add: ReportProblem = (text) => {
    if (this.#held) this.#held.push(text);
    else this.#report(text);
  };

  /** Drops the problems that `reason` already contains. */
  drop(reason: string): void {
    this.#held = this.#held?.filter((text) => !reason.includes(text));
  }

  /** Reports everything collected so far, and from now on every problem immediately. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#report(text);
  }
}
