/** The metrics of the database in which nodes share their sessions. */
export interface StoreFigures {
  /** Sessions that this node took over from a node that was lost or left. */
  takeovers: number;
  commits: number;
  commitSeconds: number;
  /** Jobs by their status; undefined while the database does not answer. */
  jobs?: { queued: number; running: number; dead: number } | undefined;
  oldestWaitSeconds?: number | undefined;
}
