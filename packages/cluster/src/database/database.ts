/** The type of a statement's parameter. Pass lists as JSON text: `json_to_recordset($1::text::json)`. */
export type SqlValue = string | number | boolean | null | Uint8Array;

export type Query = <Row>(text: string, values?: readonly SqlValue[], deadlineMs?: number) => Promise<Row[]>;

/**
 * The only access to the database. Statements are text with `$1`, `$2` and their values; values never appear in the text. Every
 * call rejects with StoreError.
 */
export interface Database {
  /** Executes one statement, which is committed when the promise resolves. Without a deadline, the database's own applies. */
  readonly query: Query;
  /** Runs a transaction: committed when the promise resolves, rolled back if `work` rejects. */
  transaction<T>(work: (query: Query) => Promise<T>, options?: { deadlineMs?: number }): Promise<T>;
  /**
   * Receives notifications. Called once whenever listening starts: notifications are lost while there is no connection, so the
   * listener then has to read the tables. Never throws.
   */
  listen(channel: string, listener: (payload: string) => void): void;
  close(): Promise<void>;
}

/** A failed statement. Its message contains no address and no password. */
export class StoreError extends Error {
  /** SQLSTATE, if the server answered. */
  readonly state: string | undefined;
  /** A retry may succeed; it is unknown whether the statement was executed. */
  readonly isPassing: boolean;

  constructor(message: string, { state, isPassing }: { state?: string | undefined; isPassing: boolean }) {
    super(message);
    this.state = state;
    this.isPassing = isPassing;
  }
}
