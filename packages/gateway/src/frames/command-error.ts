import { type ErrorCode, FieldError } from "@pintle/wire";

/** Thrown when a command is refused or fails. The message is for people, the code for programs. */
export class CommandError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, text: string) {
    super(text);
    this.code = code;
  }
}

/** Another node holds the lease on the session: the command belongs there. */
export class HeldElsewhere extends CommandError {
  constructor(text: string) {
    super("other_node", text);
  }
}

/** All workers of this server are in use: another node may have room. */
export class NoRoom extends CommandError {
  /** Nodes of all versions recognize the refusal of another node by this message. */
  static readonly text = "All workers of this server are in use";

  constructor() {
    super("busy", NoRoom.text);
  }
}

/** Returns the error as one of the host, for example an invalid field, or undefined if the fault is in this program. */
export function toCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  return error instanceof FieldError ? new CommandError("invalid_request", error.message) : undefined;
}
