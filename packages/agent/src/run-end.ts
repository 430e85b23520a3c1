import { ABORTED_TEXT } from "@pintle/ai";
import type { RunEndedBy, RunStopReason } from "./events.ts";

/** Why a run ended. `agent_end` reports two of these reasons; the result of the run reports all of them. */
export type RunEnding =
  | "stop"
  | "length"
  | "abort"
  | "timeout"
  | "budget"
  | "denied"
  | "turn_limit"
  | "output"
  | "error";

/** How a run ended. */
export interface RunEnd {
  stopReason: RunStopReason;
  endedBy: RunEnding;
  /** Of a run that pintle itself aborted: the reason, as a clause. */
  why?: string;
  /** The accepted output of a run with an output schema. */
  output?: { value: unknown };
  /** The last value that was refused. */
  rejectedOutput?: { value: unknown };
  /** Failed attempts plus the accepted one. */
  outputAttempts?: number;
}

/** The reason of an abort that the user did not request. */
export class RunEnded extends Error {
  readonly endedBy: RunEndedBy | "timeout";
  /** As a clause, for the results of calls that do not run because of it, and for the result of the run. */
  readonly why: string | undefined;

  constructor(endedBy: RunEndedBy | "timeout", why?: string) {
    super(ABORTED_TEXT);
    this.name = "AbortError";
    this.endedBy = endedBy;
    this.why = why;
  }
}

/** Ends a run with an error that is not the model's: a limit of the loop, or an output that stayed invalid. */
export class RunFault extends Error {
  readonly endedBy: "turn_limit" | "output";

  constructor(endedBy: "turn_limit" | "output", message: string) {
    super(message);
    this.endedBy = endedBy;
  }
}
