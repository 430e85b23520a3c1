export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Returns whether the operating system reported the error; anything else is a bug in the program. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "errno" in error && typeof error.errno === "number";
}

/** Returns whether no file can have this name, because it contains a NUL. */
export function isBadName(error: unknown): error is Error {
  return errorCode(error) === "ERR_INVALID_ARG_VALUE";
}

/** Returns whether nothing has this name: it is missing, or a file is in place of a directory in its path. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
