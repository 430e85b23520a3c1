/** How far a host has seen a session. */
export interface SessionCursor {
  epoch: string;
  seq: number;
  entryId?: string;
}
