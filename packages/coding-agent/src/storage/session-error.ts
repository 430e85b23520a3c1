export type SessionErrorCode =
  | "invalid_request"
  | "busy"
  | "not_found"
  | "no_credentials"
  | "cancelled"
  | "session_busy"
  | "stale_cursor"
  | "not_supported";

/** A foreseen failure: its text is for the user, its code for the host. */
export class SessionError extends Error {
  readonly code: SessionErrorCode;

  constructor(code: SessionErrorCode, message: string) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}

/** At the end not everything was stored. The reason was told when it happened. */
export class NotSavedError extends Error {
  constructor(sessionFile: string) {
    super(`the session could not be saved to ${sessionFile}`);
    this.name = "NotSavedError";
  }
}
