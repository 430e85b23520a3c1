import { type ErrorCode, FieldError } from "@pintle/wire";

/** Thrown when a command is refused or fails. The message is for users, the code for programs. */
export class CommandError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, text: string) {
    super(text);
    this.code = code;
  }
}

/** Thrown if another node holds the lease on the session, so that it must execute the command. */
export class HeldElsewhere extends CommandError {
  constructor(text: string) {
    super("other_node", text);
  }
}

/** Thrown if all workers of this server are in use; another node may have a free one. */
export class NoRoom extends CommandError {
  /** Nodes of all versions recognize the refusal of another node by this message. */
  static readonly text = "All workers of this server are in use";

  constructor() {
    super("busy", NoRoom.text);
  }
}

/**
 * Returns a mistake of the host, such as an invalid field, as a CommandError. Returns undefined for errors of this
 * program.
 */
export function toCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  return error instanceof FieldError ? new CommandError("invalid_request", error.message) : undefined;
}
