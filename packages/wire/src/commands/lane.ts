/** The five scheduling classes of commands. */
export type Lane = "control" | "ordered" | "long" | "read" | "detached";

export interface LaneRule {
  lane: Lane;
  /** Ends a run: commands that start one and come after it wait until it is done. */
  endsRuns?: boolean;
  beginsRun?: boolean;
  /**
   * Later commands do not wait for it: it asks other processes, which may be slow, and commands do not change its
   * answer.
   */
  letsOthersPass?: boolean;
  /** Does not wait for a long command, only for the ordered ones before it. */
  overtakesLong?: boolean;
  /** Acts like `abort` the moment it is read, whatever it then waits for. */
  abortsOnReceipt?: boolean;
}
