import { ABORTED_TEXT } from "@pintle/ai";
import type { RunEndedBy } from "./events.ts";

/** Why a run was ended although no user aborted it; `agent_end` says so. */
export class RunEnded extends Error {
  readonly endedBy: RunEndedBy;
  /** For the results of calls that do not run because of it. */
  readonly why: string | undefined;

  constructor(endedBy: RunEndedBy, why?: string) {
    super(ABORTED_TEXT);
    this.name = "AbortError";
    this.endedBy = endedBy;
    this.why = why;
  }
}
