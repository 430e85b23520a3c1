export type SessionErrorCode =
  | "invalid_request"
  | "busy"
  | "not_found"
  | "no_credentials"
  | "cancelled"
  | "session_busy"
  | "stale_cursor";

/** A foreseen failure: its text is for the user, its code for the host. */
export class SessionError extends Error {
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}
