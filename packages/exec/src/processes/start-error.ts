export type StartErrorCode =
  | "bad_cwd"
  | "program_not_found"
  | "runner_closed"
  | "spawn_failed"
  | "sandbox_too_weak"
  | "sandbox_failed";

/** Nothing was started. The message names what is missing and is suitable for a model or a host. */
export class StartError extends Error {
  override name = "StartError";
  readonly code: StartErrorCode;

  constructor(code: StartErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
