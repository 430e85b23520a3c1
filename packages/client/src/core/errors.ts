import type { UnfinishedRun } from "./run-result.ts";

/** A command was rejected or failed. `error` is for people, `code` for programs. */
export class RpcCommandError extends Error {
  override readonly name: string = "RpcCommandError";
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

/**
 * A command failed with the code `conflict`: something else has changed the files since. Repeat it with `onConflict`, if it has
 * one.
 */
export class RpcConflictError extends RpcCommandError {
  override readonly name = "RpcConflictError";
  declare readonly code: "conflict";

  constructor({ command, error }: { command: string; error: string }) {
    super({ command, error, code: "conflict" });
  }
}

/** Thrown when a response or event does not arrive in time. */
export class RpcTimeoutError extends Error {
  override readonly name = "RpcTimeoutError";
  /** The run so far, if the call was waiting for a run. */
  partial: UnfinishedRun | undefined;
}

export interface ClosedDetails {
  /** Exit code of the process, if there was one and it has ended. */
  code?: number | null;
  signal?: string | null;
  /** The last part of what the process wrote to stderr. */
  stderr?: string;
  cause?: unknown;
  /** The run so far, if the call was waiting for a run. */
  partial?: UnfinishedRun;
}

/** There is no connection, or it closed while a call was waiting. */
export class RpcClosedError extends Error {
  override readonly name = "RpcClosedError";
  readonly code: number | null | undefined;
  readonly signal: string | null | undefined;
  readonly stderr: string;
  /** The run so far, if the call was waiting for a run. */
  readonly partial: UnfinishedRun | undefined;
  readonly #reason: string;

  constructor(message: string, { code, signal, stderr = "", cause, partial }: ClosedDetails = {}) {
    super(stderr.trim() === "" ? message : `${message}\n${stderr.trimEnd()}`, { cause });
    this.#reason = message;
    this.code = code;
    this.signal = signal;
    this.stderr = stderr;
    this.partial = partial;
  }

  /** Returns a copy of this error that carries the partial result of one interrupted run. */
  withPartial(partial: UnfinishedRun): RpcClosedError {
    const { code, signal, stderr, cause } = this;
    const details = { ...(code !== undefined && { code }), ...(signal !== undefined && { signal }) };
    return new RpcClosedError(this.#reason, { ...details, stderr, cause, partial });
  }
}

const SHOWN_CHARACTERS = 200;

/** Reports data that is not a frame, or that matches no request. The connection stays open. */
export class RpcProtocolError extends Error {
  override readonly name = "RpcProtocolError";
  /** The start of the offending line. */
  readonly line: string;

  constructor(message: string, line: string) {
    super(message);
    this.line = line.slice(0, SHOWN_CHARACTERS);
  }
}

/** A listener or handler of the host threw; `cause` holds the thrown value. */
export class RpcListenerError extends Error {
  override readonly name = "RpcListenerError";

  constructor(what: string, cause: unknown) {
    super(`${what} has thrown: ${errorText(cause)}`, { cause });
  }
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
