import type { ErrorCode } from "@pintle/wire";

const CODES = ["conflict", "not_found", "invalid_request"] as const satisfies readonly ErrorCode[];
type RefusalCode = (typeof CODES)[number];

/** A change cannot be applied like this. Nothing was written, and it is still pending. */
export class ApplyRefused extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns a refusal if the error of a user's module has one of the codes in `code`. */
export function asRefusal(error: unknown): ApplyRefused | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = CODES.find((one) => one === error.code);
  return code && new ApplyRefused(code, error.message);
}
