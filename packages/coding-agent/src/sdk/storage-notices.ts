import type { StorageNotice } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";

/** Notices of the session store: held and reported until the session can emit them. */
export class StorageNotices {
  /** Notices from before the session existed. */
  readonly held: StorageNotice[] = [];
  readonly #report: (problem: string) => void;
  #emit: ((event: AgentSessionEvent) => void) | undefined;

  constructor(report: (problem: string) => void) {
    this.#report = report;
  }

  readonly notify = (notice: StorageNotice): void => {
    if (this.#emit) {
      this.#emit({ type: "notice", ...notice, source: "session" });
      return;
    }
    this.held.push(notice);
    this.#report(notice.message);
  };

  emitWith(emit: (event: AgentSessionEvent) => void): void {
    this.#emit = emit;
  }
}
