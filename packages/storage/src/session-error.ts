import type { ErrorCode } from "@pintle/wire";

/** A foreseen failure: its text is for the user, its code for the host. */
export class SessionError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}

/** At the end not everything was stored. The reason was reported when it happened. */
export class NotSavedError extends Error {
  constructor(sessionFile: string) {
    super(`the session could not be saved to ${sessionFile}`);
    this.name = "NotSavedError";
  }
}
