import { errorCode, isSystemError } from "./system-error.ts";

const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EBUSY: "it is in use",
  EEXIST: "a file is in the way",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk failed",
  EISDIR: "it is a directory",
  ELOOP: "its links lead in a circle",
  EMFILE: "too many open files",
  ENAMETOOLONG: "the name is too long",
  ENFILE: "too many open files",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on the disk",
  ENOTDIR: "a part of the path is not a directory",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ESTALE: "the file is gone from its server",
  ETXTBSY: "it is a running program",
};

/** Formats a system error for the model: `Cannot write src/a.ts: permission denied (EACCES).` */
export function fileError(action: string, shownPath: string, error: unknown): unknown {
  const code = errorCode(error);
  if (!isSystemError(error) || code === undefined) return error;
  return new Error(`Cannot ${action} ${shownPath}: ${MEANINGS[code] ?? "the system refused"} (${code}).`, {
    cause: error,
  });
}
