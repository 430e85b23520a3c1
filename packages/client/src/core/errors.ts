/** A command was refused or has failed. `error` is for people, `code` for programs. */
export class RpcCommandError extends Error {
  override readonly name = "RpcCommandError";
  readonly command: string;
  readonly error: string;
  readonly code: string | undefined;

  constructor({ command, error, code }: { command: string; error: string; code?: string }) {
    super(`${command}: ${error}`);
    this.command = command;
    this.error = error;
    this.code = code;
  }
}

export class RpcTimeoutError extends Error {
  override readonly name = "RpcTimeoutError";
}

export interface ClosedDetails {
  /** Of the process, if there was one and it has ended. */
  code?: number | null;
  signal?: string | null;
  /** The end of what the process wrote to stderr. */
  stderr?: string;
  cause?: unknown;
}

/** There is no connection, or it ended while something was waiting. */
export class RpcClosedError extends Error {
  override readonly name = "RpcClosedError";
  readonly code: number | null | undefined;
  readonly signal: string | null | undefined;
  readonly stderr: string;

  constructor(message: string, { code, signal, stderr = "", cause }: ClosedDetails = {}) {
    super(stderr.trim() === "" ? message : `${message}\n${stderr.trimEnd()}`, { cause });
    this.code = code;
    this.signal = signal;
    this.stderr = stderr;
  }
}

const SHOWN_CHARACTERS = 200;

/** What came cannot be a frame, or cannot be tied to anything that was sent. The connection goes on. */
export class RpcProtocolError extends Error {
  override readonly name = "RpcProtocolError";
  /** The beginning of the line. */
  readonly line: string;

  constructor(message: string, line: string) {
    super(message);
    this.line = line.slice(0, SHOWN_CHARACTERS);
  }
}

/** A listener or handler of the host has thrown; `cause` is what. */
export class RpcListenerError extends Error {
  override readonly name = "RpcListenerError";

  constructor(what: string, cause: unknown) {
    super(`${what} has thrown: ${errorText(cause)}`, { cause });
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
