/** The five classes of the protocol (RPC 3.2). */
export type Lane = "control" | "ordered" | "long" | "read" | "detached";

export interface LaneRule {
  lane: Lane;
  /** Ends a run: whatever begins one and comes after it waits until it is done. */
  endsRuns?: boolean;
  beginsRun?: boolean;
  /** Later commands do not wait for it: it asks others, who may take long, and what it tells is not changed by commands. */
  letsOthersPass?: boolean;
  /** Does not wait for a long command, only for the ordered ones before it. */
  overtakesLong?: boolean;
  /** Acts like `abort` the moment it is read, whatever it then waits for. */
  abortsOnReceipt?: boolean;
}
