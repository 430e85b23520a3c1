import { ABORTED_TEXT } from "@pintle/ai";
import type { RunEndedBy } from "./events.ts";

/** Why a run was ended although no user aborted it; `agent_end` says so. */
export class RunEnded extends Error {
  readonly endedBy: RunEndedBy;

  constructor(endedBy: RunEndedBy) {
    super(ABORTED_TEXT);
    this.name = "AbortError";
    this.endedBy = endedBy;
  }
}
