/** What a parameter of a statement may be. Lists go as JSON text: `json_to_recordset($1::text::json)`. */
export type SqlValue = string | number | boolean | null | Uint8Array;

export type Query = <Row>(text: string, values?: readonly SqlValue[], deadlineMs?: number) => Promise<Row[]>;

/** The one way to the database: text with `$1`, `$2` and its values, never values in the text. Every call rejects with StoreError. */
export interface Database {
  /** One statement; committed when it resolves. Without a deadline it has that of the database. */
  readonly query: Query;
  /** Committed when it resolves, rolled back when `work` rejects. */
  transaction<T>(work: (query: Query) => Promise<T>, options?: { deadlineMs?: number }): Promise<T>;
  /**
   * Receives notifications, and is called once whenever it starts to listen: notifications without a connection are
   * lost, so the listener then reads the tables. Never throws.
   */
  listen(channel: string, listener: (payload: string) => void): void;
  close(): Promise<void>;
}

/** Why the database did not do it. Its text names no address and no password. */
export class StoreError extends Error {
  /** SQLSTATE, where the server has answered. */
  readonly state: string | undefined;
  /** It may succeed when it is tried again: whether it was done is not known. */
  readonly isPassing: boolean;

  constructor(message: string, { state, isPassing }: { state?: string | undefined; isPassing: boolean }) {
    super(message);
    this.state = state;
    this.isPassing = isPassing;
  }
}
