import type { ReportProblem } from "./config-file.ts";

/** Problems with configuration files until it is known which of them ends the start: that one is told once, as its reason. */
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

  /** Those that `reason` tells already. */
  drop(reason: string): void {
    this.#held = this.#held?.filter((text) => !reason.includes(text));
  }

  /** Tells what was held, and from now on everything at once. */
  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const text of held) this.#report(text);
  }
}
