export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The operating system refused; anything else is a mistake in the program and must not be taken for one. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "errno" in error && typeof error.errno === "number";
}

/** No file can have this name: there is a NUL in it. */
export function isBadName(error: unknown): error is Error {
  return errorCode(error) === "ERR_INVALID_ARG_VALUE";
}

/** Nothing has this name: the name itself is missing, or what should be a directory on the way is a file. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
