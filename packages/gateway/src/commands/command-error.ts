import type { ErrorCode } from "@pintle/wire";

/** A command was refused or has failed: the text is for people, the code for programs. */
export class CommandError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, text: string) {
    super(text);
    this.code = code;
  }
}
