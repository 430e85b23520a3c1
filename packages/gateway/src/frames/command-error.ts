import { type ErrorCode, FieldError } from "@pintle/wire";

/** A command was refused or has failed: the text is for people, the code for programs. */
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
  /** Also how a node recognizes the refusal of another one, of whatever version. */
  static readonly text = "All workers of this server are in use";

  constructor() {
    super("busy", NoRoom.text);
  }
}

/** A field of a command that is not what its row says is the host's mistake; undefined for a fault of our own. */
export function toCommandError(error: unknown): CommandError | undefined {
  if (error instanceof CommandError) return error;
  return error instanceof FieldError ? new CommandError("invalid_request", error.message) : undefined;
}
